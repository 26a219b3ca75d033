// SPDX-License-Identifier: Apache-2.0
// mx/number/e8m0.h: the scale type: code c is 2^(c - 127), 255 is NaN.
// Source: OCP Microscaling Formats (MX) v1.0, clause 5.4.1.
#pragma once
#include <cstdint>

#include "mx/number/config.h"

namespace mx {

struct e8m0 {
  std::uint8_t code = 0;

  static constexpr int bias = 127;

  [[nodiscard]] MX_HD static constexpr e8m0 smallest() noexcept { return {0}; }
  [[nodiscard]] MX_HD static constexpr e8m0 nan() noexcept { return {255}; }
  /// The scale 2^exponent, or the nearest end of [-127, 127] (D-004).
  [[nodiscard]] MX_HD static constexpr e8m0 from_exponent_clamped(int exponent) noexcept {
    const int clamped = exponent < -bias ? -bias : (exponent > bias ? bias : exponent);
    return {static_cast<std::uint8_t>(clamped + bias)};
  }

  [[nodiscard]] MX_HD constexpr bool is_nan() const noexcept { return code == 255; }
  /// Undefined for NaN.
  [[nodiscard]] MX_HD constexpr int exponent() const noexcept { return code - bias; }

  friend constexpr bool operator==(const e8m0&, const e8m0&) = default;
};

static_assert(e8m0::from_exponent_clamped(0).code == 127);
static_assert(e8m0::from_exponent_clamped(-300) == e8m0::smallest());
static_assert(e8m0::from_exponent_clamped(300).code == 254);

}  // namespace mx
