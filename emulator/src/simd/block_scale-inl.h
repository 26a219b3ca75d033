// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/block_scale-inl.h: largest magnitudes of blocks, and the powers of two that
// follow from them as scales; included once for each target. Equals mx::scale_code_of under E8M0
// where amax is no subnormal.
#if defined(MX_SIMD_BLOCK_SCALE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_BLOCK_SCALE_INL_H
#undef MX_SIMD_BLOCK_SCALE_INL_H
#else
#define MX_SIMD_BLOCK_SCALE_INL_H
#endif

#include <cstdint>

#include "mx/block/block_quantizer.h"
#include "simd/rounding-inl.h"
#include "simd/rule_bounds.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
namespace block_kernel {

namespace hn = hwy::HWY_NAMESPACE;
using rounding_kernel::I32;
using rounding_kernel::lanes;
using rounding_kernel::Vi;
using F32 = hn::RebindToFloat<I32>;

constexpr int magnitude_mask = 0x7FFFFFFF;

HWY_INLINE Vi load_bits(const float* x) { return hn::BitCast(I32(), hn::LoadU(F32(), x)); }

/// Prefetches the block two parts ahead into the second-level cache, one line more than whole pages
/// ahead as in simd/mxfp4-inl.h.
HWY_INLINE void fetch(const float* x, std::uint64_t count) {
  const auto at = reinterpret_cast<std::uintptr_t>(x) + 2 * 8192 + 64;
  for (std::uint64_t line = 0; line < count * sizeof(float); line += 64) {
    __builtin_prefetch(reinterpret_cast<const void*>(at + line), 0, 2);
  }
}

/// A few consecutive blocks, and their properties determined before the elements are read.
struct block_part {
  static constexpr int blocks = 64;
  HWY_ALIGN std::int32_t amax[blocks];     ///< patterns
  HWY_ALIGN std::int32_t codes[blocks];    ///< of scales
  HWY_ALIGN std::int32_t unusual[blocks];  ///< negative: a block for the core
  HWY_ALIGN float tensor_scales[blocks];
  HWY_ALIGN double reciprocals[blocks];  ///< of scale times tensor scale
  HWY_ALIGN float factors[blocks];       ///< scales with fractions, without the tensor scale
};

/// Negative for magnitudes' patterns of zero, subnormals, Inf and NaN.
HWY_INLINE Vi outside_normals(Vi magnitude) {
  const I32 d;
  return hn::Or(hn::Sub(magnitude, hn::Set(d, 0x00800000)),
                hn::Sub(hn::Set(d, 0x7F7FFFFF), magnitude));
}

/// Largest magnitudes of a block, one in each lane.
HWY_INLINE Vi largest_lanes(const float* x, std::uint64_t count) {
  const I32 d;
  Vi largest = hn::Zero(d);
#pragma GCC unroll 2
  for (std::uint64_t i = 0; i < count; i += lanes) {
    largest = hn::Max(largest, hn::And(load_bits(x + i), hn::Set(d, magnitude_mask)));
  }
  return largest;
}

/// Largest magnitude of a block, as a pattern: above FLT_MAX's where a NaN or an Inf is among them.
HWY_INLINE std::int32_t largest_bits(const float* x, std::uint64_t count) {
  return hn::GetLane(hn::MaxOfLanes(I32(), largest_lanes(x, count)));
}

#if HWY_TARGET != HWY_SCALAR

template <class D>
HWY_INLINE Vi folded(D d, Vi a, Vi b) {
  const auto left = hn::BitCast(d, a), right = hn::BitCast(d, b);
  return hn::Max(hn::BitCast(I32(), hn::InterleaveLower(d, left, right)),
                 hn::BitCast(I32(), hn::InterleaveUpper(d, left, right)));
}

template <class D>
HWY_INLINE hn::Vec<hn::Half<D>> halves_folded(D /*d*/, hn::Vec<D> v) {
  const hn::Half<D> half;
  return hn::Max(hn::LowerHalf(half, v), hn::UpperHalf(half, v));
}

/// largest_bits of four blocks.
HWY_INLINE void largest_of_four(const float* x, std::uint64_t stride, std::int32_t* out) {
  const I32 d;
  const hn::Repartition<std::int64_t, I32> d64;
  const Vi a = folded(d, largest_lanes(x, stride), largest_lanes(x + stride, stride));
  const Vi b =
      folded(d, largest_lanes(x + 2 * stride, stride), largest_lanes(x + 3 * stride, stride));
  const Vi all = folded(d64, a, b);  // once in every 128 bits
  const hn::CappedTag<std::int32_t, 4> four;
#if HWY_TARGET <= HWY_AVX3
  hn::StoreU(halves_folded(hn::Half<I32>(), halves_folded(d, all)), four, out);
#elif HWY_TARGET == HWY_AVX2
  hn::StoreU(halves_folded(d, all), four, out);
#else
  hn::StoreU(all, four, out);
#endif
}

#endif

/// The scales of E8M0 that follow from amax's exponent and a bound on its fraction.
class power_of_two_scales {
 public:
  explicit power_of_two_scales(const quantization& q)
      : known_(has_rule_bounds(q.rule)),
        bounds_(known_ ? rule_bounds_of(q.format.element, q.rule) : rule_bounds{}),
        first_usual_(first_usual_code(q.format.element)) {}

  /// Whether the rule has such a bound.
  [[nodiscard]] bool known() const { return known_; }

  /// The smallest scale code under which FP32's subnormals are dead, with up to 24 random bits too:
  /// they are below 2^(1 - code) scales. Rounding would omit their hidden bit.
  [[nodiscard]] static int first_usual_code(const format& element) {
    const int last_place = element.emin() - element.fraction_bits;
    return 1 - last_place + 25;
  }

  /// Codes of the first `count` blocks of a part; unusual are a NaN, an Inf, a subnormal amax or zero, a low scale.
  ///   returns  whether a block is unusual
  [[nodiscard]] HWY_INLINE bool choose(block_part& part, int count) const {
    const I32 d;
    Vi any = hn::Zero(d);
    for (int b = 0; b < count; b += lanes) {
      const Vi a = hn::Load(d, part.amax + b);
      const Vi fraction = hn::And(a, hn::Set(d, 0x7FFFFF));
      const Vi below =
          hn::BroadcastSignBit(hn::Sub(fraction, hn::Set(d, static_cast<int>(bounds_.raise_from))));
      const Vi field = hn::Add(hn::ShiftRight<23>(a), hn::Add(below, hn::Set(d, 1)));
      const Vi code = hn::Min(hn::Max(hn::Sub(field, hn::Set(d, bounds_.lowered)), hn::Zero(d)),
                              hn::Set(d, 2 * e8m0::bias));
      hn::Store(code, d, part.codes + b);
      const Vi low = hn::Sub(code, hn::Set(d, first_usual_));
      const Vi unusual = hn::Or(low, outside_normals(a));
      hn::Store(unusual, d, part.unusual + b);
      any = hn::Or(any, unusual);
    }
    return !hn::AllFalse(d, hn::Lt(any, hn::Zero(d)));
  }

 private:
  bool known_;
  rule_bounds bounds_;
  int first_usual_;
};

}  // namespace block_kernel
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
