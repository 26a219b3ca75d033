// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/corrected_pass-inl.h: one pass over a line of blocks under macro-block factors
// and gains, to scales, codes and values; included once for each target. Equals mx::quantize_pass.
#if defined(MX_SIMD_CORRECTED_PASS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_CORRECTED_PASS_INL_H
#undef MX_SIMD_CORRECTED_PASS_INL_H
#else
#define MX_SIMD_CORRECTED_PASS_INL_H
#endif

#include <algorithm>

#include "mx/block/corrected_quantizer.h"
#include "simd/block_rounder-inl.h"
#include "tensor/corrected_pass.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
#if HWY_TARGET != HWY_SCALAR
namespace block_kernel {

/// Values of codes under a ratio, rounded to FP32. The product of an element and the numerator has
/// at most 46 bits and is exact. A quotient by 19 bits is halfway between numbers of 24 bits or
/// differs from that by more than 2^-45 of itself, so that rounding it to binary64 first changes
/// nothing. No value is subnormal: under a reciprocal that serves, the smallest is 2^-116.
class ratio_values {
 public:
  explicit ratio_values(const format& element)
      : magnitudes_(element), mask_(hn::Set(I32(), static_cast<int>(element.sign_mask() - 1))) {}

  /// The values have the signs of the elements.
  HWY_INLINE void store(const scale_ratio& ratio, const float* x, const std::uint8_t* codes,
                        int count, float* values) const {
    const F32 d;
    const Vd numerator = hn::Set(F64(), exact_double(ratio.numerator));
    const Vd denominator = hn::Set(F64(), exact_double(ratio.denominator));
    const hn::Rebind<std::uint8_t, I32> narrow;
    for (int i = 0; i < count; i += lanes) {
      const Vi code = hn::PromoteTo(I32(), hn::LoadU(narrow, codes + i));
      const doubles sizes = widened(magnitudes_.of(hn::And(code, mask_)));
      const doubles scaled{hn::Div(hn::Mul(sizes.low, numerator), denominator),
                           hn::Div(hn::Mul(sizes.high, numerator), denominator)};
      hn::StoreU(hn::CopySign(narrowed(scaled), hn::LoadU(d, x + i)), d, values + i);
    }
  }

 private:
  magnitude_values magnitudes_;
  Vi mask_;
};

/// Quantizes the lines of one pass, of elements with a sign bit and a negative zero.
class pass_quantizer {
 public:
  explicit pass_quantizer(const line_pass& p)
      : p_(p), round_(p.q), values_(p.q.format.element), size_(p.q.format.columns) {}

  void all() {
    const int span = p_.c.macro_block > 0 ? p_.c.macro_block : p_.place.count;
    for (int begin = 0; begin < p_.place.count; begin += span) {
      const int end = std::min(begin + span, p_.place.count);
      const std::uint32_t fraction = fraction_of(begin, end);
      if (p_.c.macro_block > 0) {
        p_.out.macro_fractions[begin / span] = static_cast<std::uint16_t>(fraction);
      }
      for (int i = begin; i < end; i += size_) block(i / size_, fraction);
    }
  }

 private:
  static constexpr std::int32_t infinity = 0x7F800000;

  [[nodiscard]] std::uint64_t number_of(int block) const {
    return p_.place.numbers.first + static_cast<std::uint64_t>(block) * p_.place.numbers.step;
  }
  static HWY_INLINE unpacked number(std::int32_t bits) {
    return decode(formats::binary32, static_cast<std::uint32_t>(bits));
  }

  [[nodiscard]] HWY_INLINE std::uint32_t fraction_of(int begin, int end) const {
    if (p_.c.macro_block == 0) return 0;
    const std::int32_t amax = largest_bits(p_.x + begin, static_cast<std::uint64_t>(end - begin));
    if (amax >= infinity) return macro_fraction_of(p_.q, p_.c, p_.x + begin, end - begin);
    return macro_factor_of(p_.q.format.element, number(amax), p_.c.macro_bits).fraction;
  }

  HWY_INLINE void block(int b, std::uint32_t fraction) {
    const float* x = p_.x + b * size_;
    std::uint8_t* codes = p_.out.codes + b * size_;
    const std::int32_t bits = largest_bits(x, static_cast<std::uint64_t>(size_));
    if (bits == 0) return zeros(b);
    if (bits < infinity && usual_block(b, fraction, number(bits))) return;
    p_.out.scales[b] = quantize_under_factor(p_.q, p_.c, fraction, x, p_.place.scale,
                                             number_of(b) * static_cast<std::uint64_t>(size_),
                                             codes, p_.values + b * size_);
  }

  /// Codes of signed zeros; their values are they.
  void zeros(int b) {
    const float* x = p_.x + b * size_;
    round_.zeros(x, static_cast<std::uint64_t>(size_), p_.out.codes + b * size_);
    if (p_.values != p_.x) std::copy_n(x, size_, p_.values + b * size_);
    p_.out.scales[b] = 0;
  }

  /// Returns false, with nothing written, if the block requires the core.
  HWY_INLINE bool usual_block(int b, std::uint32_t fraction, const unpacked& amax) {
    const block_format& f = p_.q.format;
    const unpacked raised =
        p_.c.macro_block > 0 ? macro_factor{p_.c.macro_bits, fraction}.times(amax) : amax;
    const std::uint32_t code = scale_code_of(f, p_.q.rule, raised, p_.place.scale);
    const scale_ratio seen = seen_ratio(ratio_of(f, code, p_.place.scale), p_.c, fraction);
    if (seen.numerator.is_zero() || !is_decided_by(seen)) return false;
    const reciprocal scale(chosen_scale{code, false, seen});
    if (!scale.serves(f.element)) return false;
    const block_batch one{
        p_.x + b * size_, static_cast<std::uint64_t>(size_), number_of(b), 1,
        nullptr,          p_.out.codes + b * size_,          nullptr,      storing::cached};
    round_.one(scale, one, 0);
    p_.out.scales[b] = code;
    values_.store(seen, one.x, one.codes, size_, p_.values + b * size_);
    return true;
  }

  /// Whether quotients are on the same side of each bound as exact ones. The product of a bound of
  /// 9 bits, 17 with random ones, and the numerator is an integer of at most 50 bits, that of an
  /// element and the denominator one of 43, so that a quotient differs by more than 2^-50 of
  /// itself.
  [[nodiscard]] bool is_decided_by(const scale_ratio& seen) const {
    return p_.q.rounding != rounding::stochastic || seen.numerator.significand >> 33 == 0;
  }

  const line_pass& p_;
  block_rounder<result::codes, sign_style::own, reciprocal> round_;
  ratio_values values_;
  int size_;
};

}  // namespace block_kernel

inline bool quantize_line_pass(const line_pass& p) {
  block_kernel::pass_quantizer(p).all();
  return true;
}

#else

inline bool quantize_line_pass(const line_pass&) { return false; }

#endif
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
