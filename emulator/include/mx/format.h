// SPDX-License-Identifier: Apache-2.0
// mx/format.h: a floating-point format, as a value.
#pragma once
#include <cstdint>

#include "mx/config.h"

namespace mx {

/// Which codes are not finite numbers.
///   none  every code is finite (OCP E2M1)
///   ieee  the top exponent field holds Inf (fraction 0) and NaN (IEEE 754 binary32, bfloat16)
enum class specials : std::uint8_t { none, ieee };

/// Sign, exponent field, fraction field, from high to low; subnormals where the field is 0.
struct format {
  int exponent_bits;
  int fraction_bits;
  int bias;
  mx::specials specials;

  [[nodiscard]] MX_HD constexpr int width() const noexcept {
    return 1 + exponent_bits + fraction_bits;
  }
  /// Exponent of the smallest normal, shared by the subnormals.
  [[nodiscard]] MX_HD constexpr int emin() const noexcept { return 1 - bias; }
  /// Exponent of the largest normal.
  [[nodiscard]] MX_HD constexpr int emax() const noexcept {
    return (1 << exponent_bits) - 1 - bias - (specials == mx::specials::ieee ? 1 : 0);
  }
  /// Largest finite significand, hidden bit included; its unit is 2^(emax - fraction_bits).
  [[nodiscard]] MX_HD constexpr std::uint64_t max_significand() const noexcept {
    return (std::uint64_t{2} << fraction_bits) - 1;
  }
  [[nodiscard]] MX_HD constexpr std::uint32_t sign_mask() const noexcept {
    return std::uint32_t{1} << (width() - 1);
  }
  /// Code of the largest finite magnitude.
  [[nodiscard]] MX_HD constexpr std::uint32_t max_code() const noexcept {
    return (specials == mx::specials::ieee ? infinity_code() : sign_mask()) - 1;
  }
  /// Only where specials is ieee.
  [[nodiscard]] MX_HD constexpr std::uint32_t infinity_code() const noexcept {
    return sign_mask() - (std::uint32_t{1} << fraction_bits);
  }
  /// The NaN that is written: quiet, positive, no payload. Only where specials is ieee.
  [[nodiscard]] MX_HD constexpr std::uint32_t nan_code() const noexcept {
    return infinity_code() | (std::uint32_t{1} << (fraction_bits - 1));
  }

  friend constexpr bool operator==(const format&, const format&) = default;
};

}  // namespace mx
