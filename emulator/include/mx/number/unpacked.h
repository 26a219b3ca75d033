// SPDX-License-Identifier: Apache-2.0
// mx/number/unpacked.h: the exact value between decode and round.
#pragma once
#include <cstdint>

#include "mx/number/bits.h"

namespace mx {

enum class kind : std::uint8_t { zero, finite, infinite, nan };

/// (-1)^negative * significand * 2^exponent, exactly, where kind is finite.
/// The significand is not normalized: its lowest bit has the weight 2^exponent.
struct unpacked {
  bool negative = false;
  mx::kind kind = mx::kind::zero;
  int exponent = 0;
  std::uint64_t significand = 0;

  [[nodiscard]] MX_HD static constexpr unpacked finite(bool negative, std::uint64_t significand,
                                                       int exponent) noexcept {
    if (significand == 0) return {negative, mx::kind::zero};
    return {negative, mx::kind::finite, exponent, significand};
  }
  [[nodiscard]] MX_HD static constexpr unpacked positive(std::uint64_t significand,
                                                         int exponent) noexcept {
    return finite(false, significand, exponent);
  }

  [[nodiscard]] MX_HD constexpr bool is_zero() const noexcept { return kind == mx::kind::zero; }
  [[nodiscard]] MX_HD constexpr bool is_special() const noexcept {
    return kind == mx::kind::infinite || kind == mx::kind::nan;
  }
  /// Exponent of the largest power of two not above the magnitude; requires kind::finite.
  [[nodiscard]] MX_HD constexpr int floor_log2() const noexcept {
    return exponent + bit_width(significand) - 1;
  }
  [[nodiscard]] MX_HD constexpr unpacked scaled_by_power_of_two(int power) const noexcept {
    unpacked result = *this;
    if (kind == mx::kind::finite) result.exponent += power;
    return result;
  }
};

[[nodiscard]] MX_HD constexpr unpacked unpacked_of(std::int64_t significand,
                                                   int exponent) noexcept {
  return unpacked::finite(significand < 0, magnitude_of(significand), exponent);
}

/// Negative, zero or positive as a <, =, > b.
template <class T>
[[nodiscard]] MX_HD constexpr int order_of(T a, T b) noexcept {
  return static_cast<int>(b < a) - static_cast<int>(a < b);
}

/// Compares magnitudes a and b: negative, zero or positive as |a| <, =, > |b|.
///   a, b  zero or finite, significands below 2^63
[[nodiscard]] MX_HD constexpr int compare_magnitudes(const unpacked& a,
                                                     const unpacked& b) noexcept {
  if (a.is_zero() || b.is_zero()) return order_of(!a.is_zero(), !b.is_zero());
  if (a.floor_log2() != b.floor_log2()) return order_of(a.floor_log2(), b.floor_log2());
  const std::uint64_t left = a.significand << (63 - bit_width(a.significand));
  const std::uint64_t right = b.significand << (63 - bit_width(b.significand));
  return order_of(left, right);
}

/// a * factor, exactly.
///   the product of the significand and factor is below 2^64
[[nodiscard]] MX_HD constexpr unpacked multiplied(const unpacked& a,
                                                  std::uint64_t factor) noexcept {
  if (a.kind != kind::finite) return a;
  return unpacked::finite(a.negative, a.significand * factor, a.exponent);
}

/// a * b, exactly.
///   a, b  zero or finite; the product of their significands is below 2^64
[[nodiscard]] MX_HD constexpr unpacked multiplied(const unpacked& a, const unpacked& b) noexcept {
  if (a.is_zero() || b.is_zero()) return {a.negative != b.negative, kind::zero};
  return unpacked::finite(a.negative != b.negative, a.significand * b.significand,
                          a.exponent + b.exponent);
}

/// a - b, exactly.
///   a, b  zero or finite; both below 2^62 in units of the smaller one's last bit
[[nodiscard]] MX_HD constexpr unpacked difference(const unpacked& a, const unpacked& b) noexcept {
  if (b.is_zero()) return a;
  if (a.is_zero()) return {!b.negative, b.kind, b.exponent, b.significand};
  const int unit = smaller_of(a.exponent, b.exponent);
  return unpacked_of(with_sign(a.negative, a.significand << (a.exponent - unit)) -
                         with_sign(b.negative, b.significand << (b.exponent - unit)),
                     unit);
}

/// |value| in units of 2^exponent, truncated.
///   value  zero or finite, significand below 2^63, and the result below 2^64
[[nodiscard]] MX_HD constexpr std::uint64_t cut_magnitude(const unpacked& value,
                                                          int exponent) noexcept {
  return value.is_zero() ? 0 : shifted_by(value.significand, value.exponent - exponent);
}

/// The unit in which sums of squares are exact (D-020): magnitudes up to amax are below 2^31.
[[nodiscard]] MX_HD constexpr int cut_exponent(const unpacked& amax) noexcept {
  return amax.floor_log2() - 30;
}

/// a / b, truncated after at least 32 bits, the truncated part ORed into the lowest bit: sufficient
/// for one rounding to a format of at most 30 significand bits, or to 7 bits with 24 random ones.
///   a        zero or finite, significand below 2^63
///   b        finite and not zero, significand below 2^62; its sign is ignored
///   returns  a significand below 2^63
[[nodiscard]] MX_HD constexpr unpacked quotient(const unpacked& a, const unpacked& b) noexcept {
  if (a.is_zero()) return a;
  const int shift = 63 - bit_width(a.significand);
  const std::uint64_t dividend = a.significand << shift;  // in [2^62, 2^63)
  if (b.significand >> 30 == 0) {
    const std::uint64_t whole = dividend / b.significand;  // above 2^32
    const std::uint64_t sticky = dividend % b.significand != 0 ? 1 : 0;
    return unpacked::finite(a.negative, whole | sticky, a.exponent - shift - b.exponent);
  }
  // dividend * 2^room / b with b in [2^room, 2^(room + 1)): between 2^61 and 2^63.
  const int room = bit_width(b.significand) - 1;
  const auto wide = static_cast<wide_integer>(dividend) << room;
  const auto whole = static_cast<std::uint64_t>(wide / b.significand);
  const std::uint64_t sticky = wide % b.significand != 0 ? 1 : 0;
  return unpacked::finite(a.negative, whole | sticky, a.exponent - shift - room - b.exponent);
}

static_assert(unpacked::positive(5, 1).floor_log2() == 3);
static_assert(compare_magnitudes(unpacked::positive(3, 1), unpacked::finite(true, 6, 0)) == 0);
static_assert(compare_magnitudes(unpacked::positive(3, 1), unpacked::positive(7, 0)) < 0);

}  // namespace mx
