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

#include "mx/block/block_quantizer.h"
#include "simd/fetch-inl.h"
#include "simd/grid-inl.h"
#include "simd/rule_bounds.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
namespace block_kernel {

/// Prefetches the block two parts ahead, and the page four parts ahead.
HWY_INLINE void fetch(const float* x, std::uint64_t count) {
  constexpr std::uintptr_t two_parts = 2 * 8192 + fetched_line;
  fetch_lines(x, count * sizeof(float), two_parts);
  fetch_page(x, count * sizeof(float), 2 * two_parts);
}

/// A few consecutive blocks, and their properties determined before the elements are read.
struct block_part {
  static constexpr int blocks = 128;
  HWY_ALIGN std::int32_t amax[blocks];     ///< patterns
  HWY_ALIGN std::int32_t codes[blocks];    ///< of scales
  HWY_ALIGN std::int32_t unusual[blocks];  ///< negative: a block for the core
  HWY_ALIGN float tensor_scales[blocks];
  HWY_ALIGN double reciprocals[blocks];  ///< of scale times tensor scale
  HWY_ALIGN double products[blocks];     ///< scale times tensor scale; 2^300 for a scale of zero
  HWY_ALIGN float inverses[blocks];      ///< the reciprocals, rounded to FP32; of powers of two too
  HWY_ALIGN float factors[blocks];       ///< scales with fractions, without the tensor scale
};

/// 1 / (scale * tensor scale), rounded to binary64, and scale * tensor scale.
struct scale_numbers {
  double reciprocal, product;
};

/// The next scale code.
enum class neighbour : std::uint8_t { below, above };

/// Negative for magnitudes' patterns of zero, subnormals, Inf and NaN.
HWY_INLINE Vi outside_normals(Vi magnitude) {
  const I32 d;
  return hn::Or(hn::Sub(magnitude, hn::Set(d, 0x00800000)),
                hn::Sub(hn::Set(d, 0x7F7FFFFF), magnitude));
}

/// Vectors of 256 bits at most: wider ones would have to be folded once more, by shuffles, which
/// are slower than loads of half their width.
using folding = hn::CappedTag<std::int32_t, 8>;
using folded_lanes = hn::Vec<folding>;

/// Largest magnitudes' patterns of a block, one in each lane: a NaN's is above every number's.
///   count  a multiple of batch_alignment, not zero
HWY_INLINE folded_lanes largest_lanes(const float* x, std::uint64_t count) {
  const folding d;
  const auto magnitude = [&](std::uint64_t i) HWY_ATTR {
    const auto bits = hn::LoadU(d, reinterpret_cast<const std::int32_t*>(x + i));
    return hn::And(bits, hn::Set(d, magnitude_mask));
  };
  folded_lanes largest = magnitude(0);
#pragma GCC unroll 4
  for (std::uint64_t i = hn::MaxLanes(d); i < count; i += hn::MaxLanes(d)) {
    largest = hn::Max(largest, magnitude(i));
  }
  return largest;
}

/// Largest magnitude of a block, as a pattern: above FLT_MAX's where a NaN or an Inf is among them.
HWY_INLINE std::int32_t largest_bits(const float* x, std::uint64_t count) {
  return hn::GetLane(hn::MaxOfLanes(folding(), largest_lanes(x, count)));
}

#if HWY_TARGET != HWY_SCALAR

/// Maxima of neighbouring lanes of D, of a and b by turns in each 128 bits.
template <class D>
HWY_INLINE folded_lanes folded(D d, folded_lanes a, folded_lanes b) {
  const auto left = hn::BitCast(d, a), right = hn::BitCast(d, b);
  return hn::Max(hn::BitCast(folding(), hn::InterleaveLower(d, left, right)),
                 hn::BitCast(folding(), hn::InterleaveUpper(d, left, right)));
}

/// largest_bits of four blocks, once in each 128 bits after folding those.
HWY_INLINE folded_lanes largest_of_four(const float* x, std::uint64_t stride) {
  const folding d;
  const auto block = [&](int b) HWY_ATTR { return largest_lanes(x + b * stride, stride); };
  const hn::Repartition<std::int64_t, folding> d64;
  return folded(d64, folded(d, block(0), block(1)), folded(d, block(2), block(3)));
}

/// largest_bits of as many blocks as a vector has lanes.
HWY_INLINE folded_lanes largest_of_vector(const float* x, std::uint64_t stride) {
  const folding d;
  const folded_lanes first = largest_of_four(x, stride);
  if constexpr (hn::MaxLanes(d) == 4) {
    return first;
  } else {
    const folded_lanes second = largest_of_four(x + 4 * stride, stride);
    return hn::Max(hn::ConcatLowerLower(d, second, first), hn::ConcatUpperUpper(d, second, first));
  }
}

#endif

/// largest_bits of `count` blocks.
HWY_INLINE void largest_of_blocks(const float* x, std::uint64_t stride, int count,
                                  std::int32_t* out) {
  int b = 0;
#if HWY_TARGET != HWY_SCALAR
  constexpr int at_once = hn::MaxLanes(folding());
  for (; b + at_once <= count; b += at_once) {
    hn::StoreU(largest_of_vector(x + static_cast<std::uint64_t>(b) * stride, stride), folding(),
               out + b);
  }
#endif
  for (; b < count; ++b) out[b] = largest_bits(x + static_cast<std::uint64_t>(b) * stride, stride);
}

/// Exponent fields of the powers of two that follow from amax, by a rule's bound: a carry out of
/// the fraction adds one from the bound on. Equals mx::shared_exponent, but for the largest power.
///   D  lanes of binary32; or of binary64, for products of an FP32 amax, with the same powers
template <class D>
class scale_fields {
 public:
  using numbers = hn::Vec<D>;
  using integers = hn::Vec<hn::RebindToSigned<D>>;

  ///   rule  has_rule_bounds
  HWY_INLINE scale_fields(const format& element, scale_rule rule)
      : scale_fields(rule_bounds_of(element, rule, in::fraction)) {}

  /// In place. A subnormal amax has the field 0: with a carry it is 1 at most, and not above the
  /// amount subtracted, so that the scale is the smallest, as required.
  HWY_INLINE integers of(numbers amax) const {
    const I d;
    const integers raised = hn::Add(hn::BitCast(d, amax), hn::Set(d, carry_));
    const integers field = hn::And(raised, hn::Set(d, in::field(2 * in::bias + 1)));
    const integers lowered = hn::Sub(field, hn::Set(d, in::field(lowered_)));
    const integers smallest = hn::Set(d, in::field(in::bias - e8m0::bias));
    return hn::IfThenElse(hn::Gt(lowered, smallest), lowered, smallest);
  }

 private:
  using I = hn::RebindToSigned<D>;
  using in = patterns<D>;

  HWY_INLINE explicit scale_fields(const rule_bounds& bounds)
      : carry_(static_cast<typename in::integer>(bounds.carry(in::fraction))),
        lowered_(bounds.lowered) {}

  typename in::integer carry_;
  int lowered_;
};

/// The scales of E8M0 that follow from amax's exponent and a bound on its fraction.
class power_of_two_scales {
 public:
  explicit power_of_two_scales(const quantization& q)
      : known_(has_rule_bounds(q.rule)),
        fields_(q.format.element, q.rule),
        first_usual_(first_usual_code(q.format.element)),
        last_usual_(last_usual_code(q.format.element)) {}

  /// Whether the rule has such a bound.
  [[nodiscard]] bool known() const { return known_; }

  /// The smallest scale code under which FP32's subnormals are dead, with up to 24 random bits too:
  /// they are below 2^(1 - code) scales. Rounding would omit their hidden bit.
  [[nodiscard]] static int first_usual_code(const format& element) {
    const int last_place = element.emin() - element.fraction_bits;
    return 1 - last_place + 25;
  }
  /// The largest scale code under which the anchors of the grid are finite.
  [[nodiscard]] static int last_usual_code(const format& element) {
    return 2 * e8m0::bias - 23 - element.emax();
  }

  /// Exponent fields of the scales in place.
  [[nodiscard]] HWY_INLINE Vi fields(Vi amax) const { return fields_.of(hn::BitCast(F32(), amax)); }

  /// Negative for a NaN, an Inf, a subnormal amax or zero, a low or high scale.
  [[nodiscard]] HWY_INLINE Vi unusual(Vi amax, Vi fields) const {
    const I32 d;
    const Vi code = hn::ShiftRight<23>(fields);
    const Vi low = hn::Sub(code, hn::Set(d, first_usual_));
    const Vi high = hn::Sub(hn::Set(d, last_usual_), code);
    return hn::Or(hn::Or(low, high), outside_normals(amax));
  }

  /// Codes of the first `count` blocks of a part.
  ///   returns  whether a block is unusual
  [[nodiscard]] HWY_INLINE bool choose(block_part& part, int count) const {
    const I32 d;
    Vi any = hn::Zero(d);
    for (int b = 0; b < count; b += lanes) {
      const Vi amax = hn::Load(d, part.amax + b);
      any = hn::Or(any, under(fields(amax), amax, part, b));
    }
    return !hn::AllFalse(d, hn::Lt(any, hn::Zero(d)));
  }

  /// Scales twice or half those of the first `count` blocks of a part; where there is none below,
  /// the same. A block under the largest scale is unusual, as is one under any large scale.
  ///   out      all of it is written
  ///   returns  whether a block is unusual
  [[nodiscard]] HWY_INLINE bool move(const block_part& part, neighbour where, int count,
                                     block_part& out) const {
    const I32 d;
    Vi any = hn::Zero(d);
    for (int b = 0; b < count; b += lanes) {
      const Vi codes = hn::Load(d, part.codes + b), one = hn::Set(d, 1);
      const Vi below = hn::Max(hn::Sub(codes, one), hn::Zero(d));
      const Vi moved = where == neighbour::above ? hn::Add(codes, one) : below;
      any = hn::Or(any, under(hn::ShiftLeft<23>(moved), hn::Load(d, part.amax + b), out, b));
    }
    return !hn::AllFalse(d, hn::Lt(any, hn::Zero(d)));
  }

  /// The number that elements are divided by.
  [[nodiscard]] static HWY_INLINE scale_numbers numbers_of(const block_part& part, int b) {
    const auto power = [](int exponent) {
      return __builtin_bit_cast(double, static_cast<std::uint64_t>(1023 + exponent) << 52);
    };
    return {power(e8m0::bias - part.codes[b]), power(part.codes[b] - e8m0::bias)};
  }

 private:
  /// Stores the scales of exponent fields; returns which blocks are unusual.
  HWY_INLINE Vi under(Vi found, Vi amax, block_part& part, int b) const {
    const I32 d;
    const Vi outside = unusual(amax, found);
    hn::Store(hn::ShiftRight<23>(found), d, part.codes + b);
    const Vi inverse = hn::Sub(hn::Set(d, (2 * e8m0::bias) << 23), found);
    hn::Store(hn::BitCast(F32(), inverse), F32(), part.inverses + b);
    hn::Store(outside, d, part.unusual + b);
    return outside;
  }

  bool known_;
  scale_fields<F32> fields_;
  int first_usual_, last_usual_;
};

}  // namespace block_kernel
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
