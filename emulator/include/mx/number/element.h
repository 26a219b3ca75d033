// SPDX-License-Identifier: Apache-2.0
// mx/number/element.h: decode and encode of one code in any format; a code with its format as a
// type.
#pragma once
#include <cstdint>

#include "mx/number/formats.h"
#include "mx/number/rounding.h"
#include "mx/number/unpacked.h"

namespace mx {

/// The exact value of a code.
///   code  bits above the width are ignored
[[nodiscard]] MX_HD constexpr unpacked decode(const format& f, std::uint32_t code) noexcept {
  const bool negative = (code & f.sign_mask()) != 0;
  const std::uint32_t magnitude = code & f.magnitude_mask();
  if (f.sign_form == sign_form::twos_complement) {
    const std::uint32_t size = negative ? f.sign_mask() - magnitude : magnitude;
    return unpacked::finite(negative, size, f.emin() - f.fraction_bits);
  }
  const std::uint32_t fraction = magnitude & ((std::uint32_t{1} << f.fraction_bits) - 1);
  if (magnitude > f.max_code()) {
    const bool infinite = f.specials == specials::ieee && fraction == 0;
    return {negative, infinite ? kind::infinite : kind::nan};
  }
  if (f.specials == specials::fnuz && negative && magnitude == 0) return {false, kind::nan};
  const int field = static_cast<int>(magnitude >> f.fraction_bits);
  const bool subnormal = field == 0 && f.lowest_field == lowest_field::subnormal;
  const std::uint64_t hidden = subnormal ? 0 : std::uint64_t{1} << f.fraction_bits;
  const int exponent = (subnormal ? f.emin() : field - f.bias) - f.fraction_bits;
  return unpacked::finite(negative, hidden | fraction, exponent);
}

/// Code with a sign, from the code of its magnitude.
[[nodiscard]] MX_HD constexpr std::uint32_t signed_code(const format& f, bool negative,
                                                        std::uint32_t magnitude) noexcept {
  if (!negative) return magnitude;
  if (magnitude == 0 && !f.has_negative_zero()) return 0;
  if (f.sign_form == sign_form::twos_complement) return 2 * f.sign_mask() - magnitude;
  return f.sign_mask() | magnitude;
}

/// Code of the magnitude returned for values beyond a format's range.
[[nodiscard]] MX_HD constexpr std::uint32_t overflow_code(const format& f,
                                                          overflow beyond) noexcept {
  if (beyond == overflow::saturate || !f.has_nan()) return f.max_code();
  return f.specials == specials::ieee ? f.infinity_code() : f.nan_code();
}

/// Code of a magnitude, rounded once; may exceed max_code().
///   value  finite; significand below 2^63
[[nodiscard]] MX_HD constexpr std::uint64_t rounded_magnitude(const format& f,
                                                              const unpacked& value,
                                                              const rounder& how) noexcept {
  const int binade = value.floor_log2();
  const int unit = (binade > f.emin() ? binade : f.emin()) - f.fraction_bits;
  const int distance = unit - value.exponent;
  // Codes below the first one with this unit; the kept bits are counted from there, and a carry out
  // of the significand moves into the exponent field by itself.
  const auto first = static_cast<std::uint64_t>(unit + f.fraction_bits - f.emin())
                     << f.fraction_bits;
  // If the lowest field is normal, its hidden bit is not a step of the code.
  const std::uint64_t hidden =
      f.lowest_field == lowest_field::normal ? std::uint64_t{1} << f.fraction_bits : 0;
  const std::uint64_t kept =
      distance <= 0 ? value.significand << -distance  // at most fraction_bits + 1 bits
                    : shift_right_rounded(value.significand, distance, how, first ^ hidden);
  return first + kept > hidden ? first + kept - hidden : 0;
}

/// Code of the value, rounded once.
///   value     significand below 2^63; its lowest bit may be a sticky bit where at least two bits,
///             with stochastic rounding more than the random bits, are cut off
///   zero      keeps its sign if the format has -0; the smallest code in a format without a zero
///   NaN       f.nan_code(); in a format without NaN the largest magnitude, positive (as PTX does)
///   sign      ignored where the format has none
[[nodiscard]] MX_HD constexpr std::uint32_t encode(const format& f, const unpacked& value,
                                                   const rounder& how, overflow beyond) noexcept {
  if (value.kind == kind::nan) return f.has_nan() ? f.nan_code() : f.max_code();
  if (value.is_zero()) return signed_code(f, value.negative, 0);
  if (value.kind == kind::infinite || value.floor_log2() > f.emax()) {
    return signed_code(f, value.negative, overflow_code(f, beyond));
  }
  const std::uint64_t magnitude = rounded_magnitude(f, value, how);
  return signed_code(
      f, value.negative,
      magnitude > f.max_code() ? overflow_code(f, beyond) : static_cast<std::uint32_t>(magnitude));
}

/// The same for a compile-time format, the only form in which device code can name one.
template <format F>
[[nodiscard]] MX_HD constexpr unpacked decode(std::uint32_t code) noexcept {
  return decode(F, code);
}
template <format F>
[[nodiscard]] MX_HD constexpr std::uint32_t encode(const unpacked& value, const rounder& how,
                                                   overflow beyond) noexcept {
  return encode(F, value, how, beyond);
}

/// A code with its format as a type.
template <format F>
struct element {
  std::uint8_t code = 0;
  static_assert(F.width() <= 8);

  [[nodiscard]] MX_HD constexpr unpacked value() const noexcept { return decode<F>(code); }
  [[nodiscard]] MX_HD static constexpr element nearest(const unpacked& value) noexcept {
    return {
        static_cast<std::uint8_t>(encode<F>(value, rounding::ties_to_even, overflow::saturate))};
  }
  friend constexpr bool operator==(const element&, const element&) = default;
};

using e2m1 = element<formats::e2m1>;
using e2m3 = element<formats::e2m3>;
using e3m2 = element<formats::e3m2>;
using e4m3 = element<formats::e4m3>;
using e5m2 = element<formats::e5m2>;
using int8 = element<formats::int8>;

/// The exact value of an FP32 number.
[[nodiscard]] MX_HD constexpr unpacked unpack(float value) noexcept {
  return decode<formats::binary32>(bits_of(value));
}

/// RNE32(value): Inf with its sign beyond FLT_MAX, gradual underflow.
[[nodiscard]] MX_HD constexpr float to_binary32(const unpacked& value) noexcept {
  return float_of(encode<formats::binary32>(value, rounding::ties_to_even, overflow::to_infinity));
}

/// The FP32 value of RNE to bfloat16; a NaN becomes the canonical one.
[[nodiscard]] MX_HD constexpr float rounded_to_bfloat16(float value) noexcept {
  const std::uint32_t code =
      encode<formats::bfloat16>(unpack(value), rounding::ties_to_even, overflow::to_infinity);
  return float_of(code << 16);
}

/// The NaN that a special block decodes to.
inline constexpr std::uint32_t nan_bits = formats::binary32.nan_code();

static_assert(e2m1::nearest(unpack(0.25F)).code == 0);           // tie to even
static_assert(e2m1::nearest(unpack(0.75F)).code == 2);           // tie to even: 1.0
static_assert(e2m1::nearest(unpack(0x1.000002p-2F)).code == 1);  // one ulp beside the tie
static_assert(e2m1::nearest(unpack(5.0F)).code == 6);            // 4
static_assert(e2m1::nearest(unpack(1e30F)).code == 7);           // saturates at 6
static_assert(e2m1::nearest(unpack(-0.0F)).code == 8);           // the sign of zero is kept
static_assert(e4m3::nearest(unpack(464.0F)).code == 0x7E);       // 448: the tie's other side is NaN
static_assert(int8::nearest(unpack(-9.0F)).code == 0x81);        // -127/64
static_assert(int8::nearest(unpack(-0.0F)).code == 0);
static_assert(to_binary32(int8{0x80}.value()) == -2.0F);
static_assert(to_binary32(e2m1{15}.value()) == -6.0F);
static_assert(bits_of(to_binary32(unpack(0x1p-149F))) == 1);

}  // namespace mx
