// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd_block_elements-inl.h: elements of blocks under their scales, to codes; included
// once for each target. Equals mx::encode of each element over its scale.
#if defined(MX_SIMD_BLOCK_ELEMENTS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_BLOCK_ELEMENTS_INL_H
#undef MX_SIMD_BLOCK_ELEMENTS_INL_H
#else
#define MX_SIMD_BLOCK_ELEMENTS_INL_H
#endif

#include <cstdint>

#include "simd_block_scale-inl.h"
#include "simd_rounding-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
namespace block_kernel {

using rounding_kernel::element_rounder;
using rounding_kernel::rounding_class;
using rounding_kernel::sign_style;
using rounding_kernel::U32;

/// Magnitudes under a power of two: a pattern of binary32 is one already.
struct shifted {
  static constexpr int fraction = 23;
  int one;  ///< exponent field of the pattern that stands for 1

  HWY_INLINE explicit shifted(const chosen_scale& scale) : one(static_cast<int>(scale.code)) {}
  HWY_INLINE Vi pattern(Vi bits) const { return hn::And(bits, hn::Set(I32(), magnitude_mask)); }
};

#if HWY_TARGET != HWY_SCALAR

/// |x| * denominator / numerator, rounded to binary64: the upper half of its pattern, and whether the
/// lower half is zero as the lowest bit.
/// The quotient's bounds and ties have at most 1 + m + 8 bits, m the element's fraction bits, and a
/// binary64 number for each: a quotient beside a bound b is |x| d - b n of b n away from it, an
/// integer of 1 over one of at most 16 + 33 bits, so that rounding it does not move it onto b.
struct divided {
  static constexpr int fraction = 20;
  using F32Half = hn::Half<F32>;
  using F64 = hn::Rebind<double, F32Half>;
  using U64 = hn::RebindToUnsigned<F64>;
  static constexpr int one = 1023;
  double numerator, denominator;

  HWY_INLINE explicit divided(const chosen_scale& scale)
      : numerator(value(scale.ratio.numerator)), denominator(value(scale.ratio.denominator)) {}

  HWY_INLINE Vi pattern(Vi bits) const {
    const auto magnitude = hn::BitCast(F32(), hn::And(bits, hn::Set(I32(), magnitude_mask)));
    const hn::Half<U32> half;
    return hn::BitCast(
        I32(), hn::Combine(U32(), hn::TruncateTo(half, upper(hn::UpperHalf(F32Half(), magnitude))),
                           hn::TruncateTo(half, upper(hn::LowerHalf(magnitude)))));
  }

 private:
  /// Exactly: the significand has at most 33 bits, the exponent is far from binary64's ends.
  static double value(const unpacked& v) {
    const auto power = static_cast<std::uint64_t>(v.exponent + 1023) << 52;
    return static_cast<double>(v.significand) * __builtin_bit_cast(double, power);
  }
  HWY_INLINE hn::Vec<U64> upper(hn::Vec<F32Half> magnitude) const {
    const F64 d;
    const U64 du;
    const auto product = hn::Mul(hn::PromoteTo(d, magnitude), hn::Set(d, denominator));
    const auto bits = hn::BitCast(du, hn::Div(product, hn::Set(d, numerator)));
    const auto low = hn::Set(du, 0xFFFFFFFF);
    const auto sticky = hn::ShiftRight<32>(hn::Add(hn::And(bits, low), low));
    return hn::Or(hn::ShiftRight<32>(bits), sticky);
  }
};

#endif

HWY_INLINE void store_codes(Vi codes, std::uint8_t* out) {
  const hn::Rebind<std::uint8_t, I32> d;
  hn::StoreU(hn::TruncateTo(d, hn::BitCast(U32(), codes)), d, out);
}

/// Codes of elements under a scale.
template <sign_style Style, rounding_class Class, class Scale>
HWY_INLINE void round_elements(const element_rounder<Scale::fraction>& round, const Scale& scale,
                               const float* x, std::uint64_t count, std::uint8_t* codes) {
  const Vi lowest = round.lowest_field(scale.one);
#pragma GCC unroll 2
  for (std::uint64_t i = 0; i < count; i += lanes) {
    const Vi bits = load_bits(x + i);
    const Vi code = round.template magnitude<Class>(scale.pattern(bits), lowest);
    store_codes(round.template with_sign<Style>(code, bits), codes + i);
  }
}

/// Random numbers from their bytes: the upper bits of 8, 16 or 32.
template <int Width>
HWY_INLINE Vi load_random(const std::uint8_t* bytes, std::uint64_t i) {
  const U32 d;
  if constexpr (Width == 8) {
    const hn::Rebind<std::uint8_t, U32> narrow;
    return hn::BitCast(I32(), hn::PromoteTo(d, hn::LoadU(narrow, bytes + i)));
  } else if constexpr (Width == 16) {
    const hn::Rebind<std::uint16_t, U32> narrow;
    const auto* words = reinterpret_cast<const std::uint16_t*>(bytes);
    return hn::BitCast(I32(), hn::PromoteTo(d, hn::LoadU(narrow, words + i)));
  } else {
    return hn::BitCast(I32(), hn::LoadU(d, reinterpret_cast<const std::uint32_t*>(bytes) + i));
  }
}

/// Codes with random rounding.
///   drawn  from a random_stream
template <sign_style Style, int Width, class Scale>
HWY_INLINE void round_randomly(const element_rounder<Scale::fraction>& round, const Scale& scale,
                               const float* x, std::uint64_t count, const std::uint8_t* drawn,
                               std::uint8_t* codes) {
  const Vi lowest = round.lowest_field(scale.one);
#pragma GCC unroll 2
  for (std::uint64_t i = 0; i < count; i += lanes) {
    const Vi bits = load_bits(x + i);
    const Vi random = round.top_bits(load_random<Width>(drawn, i), Width);
    const Vi code = round.magnitude(scale.pattern(bits), lowest, random);
    store_codes(round.template with_sign<Style>(code, bits), codes + i);
  }
}

}  // namespace block_kernel
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
