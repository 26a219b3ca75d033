// SPDX-License-Identifier: Apache-2.0
// mx/element.h: decode and encode of one code in any format; a code with its format as a type.
#pragma once
#include <cstdint>

#include "mx/formats.h"
#include "mx/rounding.h"
#include "mx/unpacked.h"

namespace mx {

/// The exact value of a code.
[[nodiscard]] MX_HD constexpr unpacked decode(const format& f, std::uint32_t code) noexcept {
  const bool negative = (code & f.sign_mask()) != 0;
  const std::uint32_t magnitude = code & (f.sign_mask() - 1);
  const std::uint32_t fraction = magnitude & ((std::uint32_t{1} << f.fraction_bits) - 1);
  const int field = static_cast<int>(magnitude >> f.fraction_bits);
  if (magnitude > f.max_code()) {
    return {negative, fraction == 0 ? kind::infinite : kind::nan, 0, 0};
  }
  const std::uint64_t hidden = field == 0 ? 0 : std::uint64_t{1} << f.fraction_bits;
  const int exponent = (field == 0 ? f.emin() : field - f.bias) - f.fraction_bits;
  return unpacked::finite(negative, hidden | fraction, exponent);
}

/// Code of the value, rounded once.
///   value     any kind where the format has Inf and NaN, else zero or finite; significand below
///             2^62; its lowest bit may be a sticky bit where at least two bits are cut off
///   zero      keeps the sign of the value
///   NaN       becomes f.nan_code()
[[nodiscard]] MX_HD constexpr std::uint32_t encode(const format& f, const unpacked& value,
                                                   rounding mode, overflow beyond) noexcept {
  const std::uint32_t sign = value.negative ? f.sign_mask() : 0;
  if (value.kind == kind::nan) return f.nan_code();
  if (value.kind == kind::infinite) return sign | f.infinity_code();
  if (value.is_zero()) return sign;
  const int binade = value.floor_log2();
  if (binade > f.emax()) {
    return sign | (beyond == overflow::saturate ? f.max_code() : f.infinity_code());
  }
  const int smallest_unit = f.emin() - f.fraction_bits;
  const int unit = (binade > f.emin() ? binade : f.emin()) - f.fraction_bits;
  const int distance = unit - value.exponent;
  const std::uint64_t kept = distance <= 0
                                 ? value.significand << -distance  // at most fraction_bits + 1 bits
                                 : shift_right_rounded(value.significand, distance, mode);
  // A carry out of the significand moves into the exponent field by itself.
  const std::uint64_t magnitude =
      (static_cast<std::uint64_t>(unit - smallest_unit) << f.fraction_bits) + kept;
  if (magnitude > f.max_code()) {
    return sign | (beyond == overflow::saturate ? f.max_code() : f.infinity_code());
  }
  return sign | static_cast<std::uint32_t>(magnitude);
}

/// The same for a format known to the compiler, which device code can only name this way.
template <format F>
[[nodiscard]] MX_HD constexpr unpacked decode(std::uint32_t code) noexcept {
  return decode(F, code);
}
template <format F>
[[nodiscard]] MX_HD constexpr std::uint32_t encode(const unpacked& value, rounding mode,
                                                   overflow beyond) noexcept {
  return encode(F, value, mode, beyond);
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

/// The NaN that a block without a value decodes to.
inline constexpr std::uint32_t nan_bits = formats::binary32.nan_code();

static_assert(e2m1::nearest(unpack(0.25F)).code == 0);           // tie to even
static_assert(e2m1::nearest(unpack(0.75F)).code == 2);           // tie to even: 1.0
static_assert(e2m1::nearest(unpack(0x1.000002p-2F)).code == 1);  // one ulp beside the tie
static_assert(e2m1::nearest(unpack(5.0F)).code == 6);            // 4
static_assert(e2m1::nearest(unpack(1e30F)).code == 7);           // saturates at 6
static_assert(e2m1::nearest(unpack(-0.0F)).code == 8);           // the sign of zero is kept
static_assert(to_binary32(e2m1{15}.value()) == -6.0F);
static_assert(bits_of(to_binary32(unpack(0x1p-149F))) == 1);

}  // namespace mx
