// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/block_elements-inl.h: elements of blocks under their scales, to codes; included
// once for each target. Equals mx::encode of each element over its scale.
#if defined(MX_SIMD_BLOCK_ELEMENTS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_BLOCK_ELEMENTS_INL_H
#undef MX_SIMD_BLOCK_ELEMENTS_INL_H
#else
#define MX_SIMD_BLOCK_ELEMENTS_INL_H
#endif

#include <cstdint>

#include "simd/block_scale-inl.h"
#include "simd/divided_scale-inl.h"
#include "simd/magnitude_values-inl.h"
#include "simd/rounding-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
namespace block_kernel {

using rounding_kernel::element_rounder;
using rounding_kernel::rounding_class;
using rounding_kernel::sign_style;

/// Magnitudes under a power of two: a pattern of binary32 needs no conversion.
struct shifted {
  using grid_of_elements = grid<F32>;
  static constexpr int fraction = 23;
  using scales = power_of_two_scales;
  int one;  ///< exponent field of the pattern that represents 1

  HWY_INLINE explicit shifted(const chosen_scale& scale) : one(static_cast<int>(scale.code)) {}
  HWY_INLINE shifted(const block_part& part, int b) : one(part.codes[b]) {}

  /// The exponent field in place.
  HWY_INLINE Vi field() const { return hn::Set(I32(), one << 23); }

  /// The element's value times the scale.
  HWY_INLINE V scaled(V element) const { return hn::Mul(element, hn::BitCast(F32(), field())); }

  /// Whether elements of the format, FP32's subnormals too, may be rounded this way.
  [[nodiscard]] bool serves(const format& element) const {
    return one >= power_of_two_scales::first_usual_code(element) &&
           one <= power_of_two_scales::last_usual_code(element);
  }
  HWY_INLINE Vi pattern(Vi bits) const { return hn::And(bits, hn::Set(I32(), magnitude_mask)); }
};

#if HWY_TARGET != HWY_SCALAR

/// |x| times the reciprocal of a scale, in binary64: the upper half of its pattern, and whether the
/// lower half is not zero as the lowest bit.
///
/// A quotient's bounds and ties are B 2^i with B < 2^16: they have at most 1 + m + 8 bits, m the
/// element's fraction bits. With |x| = X 2^j and a scale N 2^k, N < 2^33, a quotient that is not
/// such a bound differs from it by (X 2^j - B N 2^(i+k)) / (N 2^k). Where j >= i + k that is at
/// least 2^i / N > 2^(i-33), and the bound's unit in the last place at most 2^(i+15-52): 16 units.
/// Elsewhere it is at least 1 / X > 2^-24 of the quotient. An exact scale is amax / max, and X
/// times max is below 2^32: it is no closer.
///
/// Reciprocal and product are rounded once each: less than 2.1 units away from the quotient in all.
/// A quotient on a bound comes out at most 2 units beside it, any other at least 13 units beside it
/// and on its side; the nearest multiple of 8 units, as the bound is one, is the bound only for the
/// first. Below a power of two units are half as large: the first is still 2 units beside it at
/// most, since the error is 2^-52 of the quotient, and the other twice as many.
struct reciprocal {
  using grid_of_elements = grid<F64>;
  static constexpr int fraction = 20;
  static constexpr int one = 1023;
  using scales = divided_scales;
  double factor;
  float scale = 0, tensor = 1;

  /// The element's value times the scale, exactly if there is a tensor scale, times that.
  HWY_INLINE V scaled(V element) const {
    return hn::Mul(hn::Mul(element, hn::Set(F32(), scale)), hn::Set(F32(), tensor));
  }

  HWY_INLINE explicit reciprocal(const chosen_scale& chosen)
      : factor(exact_double(chosen.ratio.denominator) / exact_double(chosen.ratio.numerator)) {}
  HWY_INLINE reciprocal(const block_part& part, int b)
      : factor(part.reciprocals[b]), scale(part.factors[b]), tensor(part.tensor_scales[b]) {}

  [[nodiscard]] bool serves(const format& element) const {
    const auto upper = static_cast<int>(__builtin_bit_cast(std::uint64_t, factor) >> 32);
    return upper <= scale_reciprocals::last_usual(element);
  }

  /// A magnitude times the reciprocal, to the nearest multiple of 8 units.
  static HWY_INLINE Vd quotient(Vd magnitude, Vd factor) {
    const U64 d;
    const auto kept = hn::Set(d, ~std::uint64_t{7});
    return hn::BitCast(F64(), hn::And(hn::BitCast(d, units_of_eight(magnitude, factor)), kept));
  }
  HWY_INLINE doubles quotients(Vi bits) const {
    const Vd factors = hn::Set(F64(), factor);
    const doubles magnitude = widened(hn::Abs(hn::BitCast(F32(), bits)));
    return {quotient(magnitude.low, factors), quotient(magnitude.high, factors)};
  }

  HWY_INLINE Vi pattern(Vi bits) const {
    const Vd factors = hn::Set(F64(), factor);
    const doubles magnitude = widened(hn::Abs(hn::BitCast(F32(), bits)));
    return halves_joined(units_of_eight(magnitude.low, factors),
                         units_of_eight(magnitude.high, factors), ~7U);
  }

 private:
  /// Four units more than the product: without its last three bits it is the nearest multiple of
  /// eight.
  static HWY_INLINE Vd units_of_eight(Vd magnitude, Vd factor) {
    const U64 d;
    const auto product = hn::Mul(magnitude, factor);
    return hn::BitCast(F64(), hn::Add(hn::BitCast(d, product), hn::Set(d, 4)));
  }
};

/// Values of elements rounded to nearest even without their codes. The product of an element of at
/// most 8 bits, a scale of at most 9 below a tensor scale of 24, else of 24, is exact in binary64.
template <class Rounder, class Sink>
HWY_INLINE void round_to_nearest(const Rounder&, const grid<F64>& g, const reciprocal& scale,
                                 const float* x, std::uint64_t count, const Sink& sink) {
  const auto one = hn::Set(I64(), std::int64_t{reciprocal::one} << 52);
  const Vd full = hn::Set(F64(), double{scale.scale} * double{scale.tensor});
#pragma GCC unroll 2
  for (std::uint64_t i = 0; i < count; i += lanes) {
    const Vi bits = load_bits(x + i);
    const doubles quotient = scale.quotients(bits);
    sink.store(narrowed({hn::Mul(g.nearest_value(quotient.low, one), full),
                         hn::Mul(g.nearest_value(quotient.high, one), full)}),
               bits, i);
  }
}

#endif

HWY_INLINE void store_codes(Vi codes, std::uint8_t* out) {
  const hn::Rebind<std::uint8_t, I32> d;
  hn::StoreU(hn::TruncateTo(d, hn::BitCast(U32(), codes)), d, out);
}

/// Results of elements: their codes.
template <sign_style Style>
struct code_sink {
  std::uint8_t* codes;

  template <class Rounder, class Scale>
  HWY_INLINE void put(const Rounder& round, const Scale&, Vi code, Vi bits, std::uint64_t i) const {
    store_codes(round.template with_sign<Style>(code, bits), codes + i);
  }
  template <class Rounder>
  HWY_INLINE void put(const Rounder& round, const grid<F32>& g, const grid<F32>::multiple& m,
                      Vi bits, std::uint64_t i) const {
    store_codes(round.template with_sign<Style>(g.code(m), bits), codes + i);
  }
};

/// Results of elements: their values after quantization and back.
template <sign_style Style>
struct value_sink {
  float* values;
  magnitude_values magnitudes;

  template <class Rounder, class Scale>
  HWY_INLINE void put(const Rounder&, const Scale& scale, Vi code, Vi bits, std::uint64_t i) const {
    const V size = scale.scaled(magnitudes.of(code));
    if constexpr (Style == sign_style::own) {
      store(size, bits, i);
    } else {  // without a negative zero
      const auto zero = hn::RebindMask(F32(), hn::Eq(code, hn::Zero(I32())));
      hn::StoreU(hn::IfThenElse(zero, size, signed_by(size, bits)), F32(), values + i);
    }
  }
  template <class Rounder>
  HWY_INLINE void put(const Rounder&, const grid<F32>& g, const grid<F32>::multiple& m, Vi bits,
                      std::uint64_t i) const {
    store(g.value(m), bits, i);
  }

  /// A sum with +0 is not -0.
  HWY_INLINE void store(V size, Vi bits, std::uint64_t i) const {
    const V value = signed_by(size, bits);
    const bool own = Style == sign_style::own;
    hn::StoreU(own ? value : hn::Add(value, hn::Zero(F32())), F32(), values + i);
  }
  static HWY_INLINE V signed_by(V size, Vi bits) {
    return hn::CopySign(size, hn::BitCast(F32(), bits));
  }
};

/// Results of elements rounded to nearest, ties to even, under a power of two.
template <class Rounder, class Sink>
HWY_INLINE void round_to_nearest(const Rounder& round, const grid<F32>& g, const shifted& scale,
                                 const float* x, std::uint64_t count, const Sink& sink) {
  const Vi field = scale.field();
#pragma GCC unroll 2
  for (std::uint64_t i = 0; i < count; i += lanes) {
    const Vi bits = load_bits(x + i);
    sink.put(round, g, g.nearest(hn::Abs(hn::BitCast(F32(), bits)), field), bits, i);
  }
}

/// Results of elements under a scale.
template <rounding_class Class, class Scale, class Sink>
HWY_INLINE void round_elements(const element_rounder<Scale::fraction>& round, const Scale& scale,
                               const float* x, std::uint64_t count, const Sink& sink) {
  const Vi lowest = round.lowest_field(scale.one);
#pragma GCC unroll 2
  for (std::uint64_t i = 0; i < count; i += lanes) {
    const Vi bits = load_bits(x + i);
    sink.put(round, scale, round.template magnitude<Class>(scale.pattern(bits), lowest), bits, i);
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

/// The same with random rounding.
///   drawn  from a random_stream
template <int Width, class Scale, class Sink>
HWY_INLINE void round_randomly(const element_rounder<Scale::fraction>& round, const Scale& scale,
                               const float* x, std::uint64_t count, const std::uint8_t* drawn,
                               const Sink& sink) {
  const Vi lowest = round.lowest_field(scale.one);
#pragma GCC unroll 2
  for (std::uint64_t i = 0; i < count; i += lanes) {
    const Vi bits = load_bits(x + i);
    const Vi random = round.top_bits(load_random<Width>(drawn, i), Width);
    sink.put(round, scale, round.magnitude(scale.pattern(bits), lowest, random), bits, i);
  }
}

}  // namespace block_kernel
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
