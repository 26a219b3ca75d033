// SPDX-License-Identifier: Apache-2.0
// mx/dot/accumulator.h: exact sums: a fixed-point number wide enough for every product of two
// elements and their scales, and a sum that uses it only if 62 bits are too few.
// Source: Kulisch, "Computer Arithmetic and Validity" (one fixed-point register, one rounding).
#pragma once
#include <cstdint>

#include "mx/number/unpacked.h"

namespace mx {

/// A two's complement integer in units of 2^lowest_exponent, its lowest limb first.
/// Products of elements and scales lie in [2^-552, 2^514): binary32 elements under E8M0 scales go
/// farthest. The register reaches to 2^703.
struct wide_fixed {
  static constexpr int lowest_exponent = -576;
  static constexpr int highest_product =
      544;  ///< products are below 2^544, 2^31 of them below 2^575
  static constexpr int limbs = 20;

  std::uint64_t limb[limbs] = {};

  /// Adds (-1)^negative * significand * 2^exponent.
  ///   exponent  at least lowest_exponent, and the result below 2^703
  MX_HD constexpr void add(bool negative, std::uint64_t significand, int exponent) noexcept {
    const int place = exponent - lowest_exponent;
    const int shift = place % 64;
    const std::uint64_t low = significand << shift;
    const std::uint64_t high = shift == 0 ? 0 : significand >> (64 - shift);
    if (negative) {
      subtract_at(place / 64, low, high);
    } else {
      add_at(place / 64, low, high);
    }
  }

  [[nodiscard]] MX_HD constexpr bool is_negative() const noexcept {
    return limb[limbs - 1] >> 63 != 0;
  }

  /// The number cut to its 62 leading bits, what was cut off ORed into the lowest of them.
  [[nodiscard]] MX_HD constexpr unpacked value() const noexcept {
    const wide_fixed magnitude = is_negative() ? negated() : *this;
    int top = limbs - 1;
    while (top > 0 && magnitude.limb[top] == 0) --top;
    const int place = top * 64 + bit_width(magnitude.limb[top]);  // one above the highest set bit
    const int cut = place > 62 ? place - 62 : 0;
    return unpacked::finite(is_negative(), magnitude.bits_from(cut), cut + lowest_exponent);
  }

 private:
  MX_HD constexpr void add_at(int first, std::uint64_t low, std::uint64_t high) noexcept {
    std::uint64_t carry = 0;
    for (int i = first; i < limbs; ++i) {
      const std::uint64_t part = i == first ? low : (i == first + 1 ? high : 0);
      if (i > first + 1 && carry == 0) return;
      const std::uint64_t with_part = limb[i] + part;
      const std::uint64_t sum = with_part + carry;
      carry =
          static_cast<std::uint64_t>(with_part < part) + static_cast<std::uint64_t>(sum < carry);
      limb[i] = sum;
    }
  }

  MX_HD constexpr void subtract_at(int first, std::uint64_t low, std::uint64_t high) noexcept {
    std::uint64_t borrow = 0;
    for (int i = first; i < limbs; ++i) {
      const std::uint64_t part = i == first ? low : (i == first + 1 ? high : 0);
      if (i > first + 1 && borrow == 0) return;
      const std::uint64_t without_part = limb[i] - part;
      const std::uint64_t rest = without_part - borrow;
      borrow = static_cast<std::uint64_t>(limb[i] < part) +
               static_cast<std::uint64_t>(without_part < borrow);
      limb[i] = rest;
    }
  }

  [[nodiscard]] MX_HD constexpr wide_fixed negated() const noexcept {
    wide_fixed result;
    std::uint64_t carry = 1;
    for (int i = 0; i < limbs; ++i) {
      result.limb[i] = ~limb[i] + carry;
      carry = carry != 0 && result.limb[i] == 0 ? 1 : 0;
    }
    return result;
  }

  /// The bits from place `cut` up, of which there are at most 62, and the sticky bit of those
  /// below.
  [[nodiscard]] MX_HD constexpr std::uint64_t bits_from(int cut) const noexcept {
    const int at = cut / 64, shift = cut % 64;
    std::uint64_t bits = limb[at] >> shift;
    if (shift != 0 && at + 1 < limbs) bits |= limb[at + 1] << (64 - shift);
    std::uint64_t below = shift == 0 ? 0 : limb[at] << (64 - shift);
    for (int i = 0; i < at; ++i) below |= limb[i];
    return bits | (below != 0 ? 1 : 0);
  }
};

/// An exact sum. While it fits into 62 bits it is one integer; beyond that the wide number receives
/// the parts that do fit.
class exact_sum {
 public:
  ///   term  zero or finite, significand below 2^62
  MX_HD constexpr void add(const unpacked& term) noexcept {
    if (term.is_zero()) return;
    if (near_ == 0) unit_ = term.exponent;
    const int unit = smaller_of(term.exponent, unit_);
    const int near_up = unit_ - unit, term_up = term.exponent - unit;
    const std::uint64_t near = magnitude_of(near_);
    // Both below 2^61 in the common unit: their sum is below 2^62.
    if (larger_of(bit_width(near) + near_up, bit_width(term.significand) + term_up) > 61) {
      spill();
      near_ = with_sign(term.negative, term.significand);
      unit_ = term.exponent;
      return;
    }
    near_ = with_sign_of(near_, near << near_up) +
            with_sign(term.negative, term.significand << term_up);
    unit_ = unit;
  }

  /// The sum; its lowest bit is a sticky bit if more than 62 bits would be needed.
  [[nodiscard]] MX_HD constexpr unpacked value() const noexcept {
    if (!spilled_) return near_value();
    wide_fixed all = far_;
    const unpacked near = near_value();
    all.add(near.negative, near.significand, near.is_zero() ? 0 : near.exponent);
    return all.value();
  }

 private:
  [[nodiscard]] MX_HD constexpr unpacked near_value() const noexcept {
    return unpacked_of(near_, unit_);
  }
  MX_HD constexpr void spill() noexcept {
    const unpacked near = near_value();
    if (near.is_zero()) return;
    if (!spilled_) far_ = wide_fixed{};
    far_.add(near.negative, near.significand, near.exponent);
    spilled_ = true;
  }

  std::int64_t near_ = 0;
  int unit_ = 0;
  bool spilled_ = false;
  wide_fixed far_ = {};
};

}  // namespace mx
