// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/grid-inl.h: multiples of an element format's grid under powers of two, rounded
// by the hardware, and the powers that follow from amax; included once for each target.
#if defined(MX_SIMD_GRID_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_GRID_INL_H
#undef MX_SIMD_GRID_INL_H
#else
#define MX_SIMD_GRID_INL_H
#endif

#include "mx/block/block_scale.h"
#include "simd/rule_bounds.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
#if HWY_NATIVE_FMA

namespace hn = hwy::HWY_NAMESPACE;
using F32 = hn::CappedTag<float, 16>;
using I32 = hn::RebindToSigned<F32>;
using F32Half = hn::Half<F32>;
using F64 = hn::Rebind<double, F32Half>;
using I64 = hn::RebindToSigned<F64>;
using V = hn::Vec<F32>;
using Vi = hn::Vec<I32>;
using W = hn::Vec<F64>;
using Wi = hn::Vec<I64>;
constexpr int lanes = static_cast<int>(hn::MaxLanes(F32()));

/// Both halves of a vector, widened to binary64.
struct wide {
  W low, high;
};

HWY_INLINE wide widen(V v) {
  const F64 d;
  return {hn::PromoteTo(d, hn::LowerHalf(v)), hn::PromoteTo(d, hn::UpperHalf(F32Half(), v))};
}

/// RNE32 of both halves.
HWY_INLINE V narrow(W low, W high) {
  const F32Half half;
  return hn::Combine(F32(), hn::DemoteTo(half, high), hn::DemoteTo(half, low));
}

/// The grid of an element format times a power of two, in constants added to the exponent field of
/// that power: of the smallest binade with a full grid, of the anchor, of the largest element.
struct grid {
  Vi lowest, anchor, largest;

  HWY_INLINE explicit grid(const format& f)
      : lowest(hn::Set(I32(), f.emin() * (1 << 23))),
        anchor(hn::Set(I32(), ((23 - f.fraction_bits) << 23) | 0x400000)),
        largest(
            hn::Set(I32(), static_cast<int>(bits_of(to_binary32(largest_of(f)))) - (127 << 23))) {}
};

/// Nearest multiple of the grid times a power of two, ties to even, saturated.
///   magnitude  not negative      exponent_field  of the power, in place; with `lowest` not negative
/// The pitch of the grid follows from the binade of the magnitude, down to the smallest normal one.
/// Adding 1.5 * 2^(pitch + 23) leaves the multiple of the pitch in the low bits: the hardware
/// rounds to nearest, ties to the even multiple, and 1.5 * 2^23 is itself even. With at least one
/// fraction bit the even multiple is the element with the even code.
HWY_INLINE V to_grid(V magnitude, Vi exponent_field, const grid& g) {
  const F32 d;
  const I32 di;
  const Vi binade = hn::And(hn::BitCast(di, magnitude), hn::Set(di, 0x7F800000));
  const Vi lowest = hn::Add(exponent_field, g.lowest);
  const V anchor = hn::BitCast(d, hn::Add(hn::Max(binade, lowest), g.anchor));
  const V largest = hn::BitCast(d, hn::Add(exponent_field, g.largest));
  return hn::Min(hn::Sub(hn::Add(magnitude, anchor), anchor), largest);
}

/// Exponent fields of blocks' scales, from their largest magnitudes. Equals mx::shared_exponent if
/// the rule has bounds: a carry out of the fraction adds one from the rule's bound on.
class scale_fields {
 public:
  HWY_INLINE scale_fields(const format& element, scale_rule rule)
      : carry_(hn::Set(I32(), static_cast<int>(rule_bounds_of(element, rule, 23).carry(23)))),
        wide_carry_(static_cast<std::int64_t>(rule_bounds_of(element, rule, 52).carry(52))),
        lowered_(rule_bounds_of(element, rule, 23).lowered),
        low_(first_field(element, lowered_) << 23),
        subtracted_(hn::Set(I32(), lowered_ << 23)) {}

  /// Whether a block has a scale so small that the lowest binade of its grid would be below zero, or
  /// its largest element subnormal. A block of zeros has not.
  HWY_INLINE bool are_low(V amax) const {
    if (low_ == 0) return false;
    const I32 di;
    const Vi bits = hn::BitCast(di, amax);
    const auto low = hn::And(hn::Gt(bits, hn::Zero(di)), hn::Lt(bits, hn::Set(di, low_)));
    return HWY_UNLIKELY(!hn::AllFalse(di, low));
  }

  /// The field of a scale is its byte, shifted. A subnormal amax has the field 0: with a carry it
  /// is 1 at most. If that is not above the amount subtracted the scale is the smallest, as
  /// required; otherwise the block is low.
  HWY_INLINE Vi of(V amax) const {
    const I32 di;
    const Vi raised = hn::Add(hn::BitCast(di, amax), carry_);
    const Vi field = hn::And(raised, hn::Set(di, 0x7F800000));
    return hn::Max(hn::Sub(field, subtracted_), hn::Zero(di));
  }

  /// The same in binary64 for a product of an FP32 amax and a macro-block factor, which is exact.
  HWY_INLINE Wi of(W amax) const {
    const I64 di;
    const Wi raised = hn::Add(hn::BitCast(di, amax), hn::Set(di, wide_carry_));
    const Wi field = hn::And(raised, hn::Set(di, 0x7FF0000000000000));
    const Wi lowered = hn::Sub(field, hn::Set(di, std::int64_t{lowered_} << 52));
    const Wi smallest = hn::Set(di, std::int64_t{1023 - 127} << 52);
    return hn::IfThenElse(hn::Gt(lowered, smallest), lowered, smallest);
  }

 private:
  /// The lowest exponent field of amax whose blocks are not low.
  static HWY_INLINE int first_field(const format& element, int lowered) {
    if (element.emin() < 0) return lowered - element.emin();
    return element.emax() == 0 ? lowered + 1 : 0;
  }

  Vi carry_;
  std::int64_t wide_carry_;
  int lowered_, low_;
  Vi subtracted_;
};

#endif  // HWY_NATIVE_FMA
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
