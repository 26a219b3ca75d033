// SPDX-License-Identifier: Apache-2.0
// golden/validator/product/upper_bound.h: non-negative numbers, rounded up where they do not fit:
// a result is never below the exact one.
#pragma once
#include <cstdint>

#include "mx/dot/accumulator.h"

namespace golden::validator {

/// significand * 2^exponent, the significand below 2^32.
class upper_bound {
 public:
  constexpr upper_bound() = default;
  [[nodiscard]] static constexpr upper_bound power_of_two(int exponent) { return {1, exponent}; }
  /// The smallest representable number not below significand * 2^exponent.
  constexpr upper_bound(std::uint64_t significand, int exponent)
      : significand_(significand), exponent_(exponent) {
    const int over = mx::bit_width(significand_) - 32;
    if (over <= 0) return;
    significand_ = raised(significand_, over);  // may have become 2^32
    exponent_ += over;
    if (significand_ >> 32 != 0) significand_ >>= 1, ++exponent_;
  }
  /// The same for the magnitude of an exact number.
  [[nodiscard]] static constexpr upper_bound of(const mx::unpacked& x) {
    return x.is_zero() ? upper_bound{} : upper_bound(x.significand, x.exponent);
  }

  [[nodiscard]] constexpr bool is_zero() const { return significand_ == 0; }
  [[nodiscard]] constexpr std::uint64_t significand() const { return significand_; }
  [[nodiscard]] constexpr int exponent() const { return exponent_; }
  /// Requires a nonzero number.
  [[nodiscard]] constexpr int floor_log2() const {
    return exponent_ + mx::bit_width(significand_) - 1;
  }
  [[nodiscard]] constexpr mx::unpacked value() const {
    return mx::unpacked::positive(significand_, exponent_);
  }

  friend constexpr upper_bound operator+(const upper_bound& x, const upper_bound& y) {
    if (x.is_zero()) return y;
    if (y.is_zero()) return x;
    const upper_bound& high = x.exponent_ >= y.exponent_ ? x : y;
    const upper_bound& low = x.exponent_ >= y.exponent_ ? y : x;
    // Below 2^62 and 2^32: their sum fits.
    const int apart = high.exponent_ - low.exponent_, left = apart < 30 ? apart : 30;
    return {(high.significand_ << left) + raised(low.significand_, apart - left),
            high.exponent_ - left};
  }
  friend constexpr upper_bound operator*(const upper_bound& x, const upper_bound& y) {
    return {x.significand_ * y.significand_, x.exponent_ + y.exponent_};
  }
  friend constexpr bool operator<=(const upper_bound& x, const upper_bound& y) {
    return mx::compare_magnitudes(x.value(), y.value()) <= 0;
  }

 private:
  /// value / 2^distance, rounded up.
  [[nodiscard]] static constexpr std::uint64_t raised(std::uint64_t value, int distance) {
    if (distance > 63) return value != 0 ? 1 : 0;
    const std::uint64_t kept = value >> distance;
    return kept + (kept << distance != value ? 1 : 0);
  }

  std::uint64_t significand_ = 0;
  int exponent_ = 0;
};

static_assert((upper_bound(1, 0) + upper_bound(1, -100)).significand() == (1U << 30) + 1);
static_assert(upper_bound(0xFFFFFFFFFFFFFFFF, 0).significand() == 0x80000000);
static_assert(upper_bound(0x100000001, 0).significand() == 0x80000001);
static_assert((upper_bound(3, 4) * upper_bound(5, -1)).significand() == 15);

}  // namespace golden::validator
