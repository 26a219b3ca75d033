// SPDX-License-Identifier: Apache-2.0
// mx/number/format.h: a number format, as a value.
#pragma once
#include <cstdint>

#include "mx/number/config.h"

namespace mx {

/// Which codes are not finite numbers.
///   none       every code is finite (OCP E2M1, E2M3, E3M2, INT8)
///   ieee       the top exponent field holds Inf (fraction 0) and NaN (IEEE 754, OCP E5M2)
///   top_code   the code of all ones (but for the sign) is NaN; no Inf (OCP E4M3)
///   top_field  every code of the top exponent field is NaN; no Inf (E8M0)
///   fnuz       the code of negative zero is NaN; no Inf and no negative zero
enum class specials : std::uint8_t { none, ieee, top_code, top_field, fnuz };

enum class signedness : std::uint8_t { with_sign, without_sign };

///   sign_magnitude   a sign bit above exponent and fraction
///   twos_complement  the same magnitudes, negated as integers are; no negative zero (OCP INT8)
enum class sign_form : std::uint8_t { sign_magnitude, twos_complement };

/// Meaning of the exponent field 0.
///   subnormal  no hidden bit, the exponent of field 1; the code 0 is zero
///   normal     a hidden bit as in the other fields; no zero (E8M0)
enum class lowest_field : std::uint8_t { subnormal, normal };

/// Sign, exponent field, fraction field, from high to low.
/// An integer of w bits below its sign is the format {1, w - 1, bias}: field 1 continues where the
/// subnormals of field 0 end.
struct format {
  int exponent_bits;
  int fraction_bits;
  int bias;
  mx::specials specials = mx::specials::none;
  mx::signedness signedness = mx::signedness::with_sign;
  mx::sign_form sign_form = mx::sign_form::sign_magnitude;
  mx::lowest_field lowest_field = mx::lowest_field::subnormal;

  [[nodiscard]] MX_HD constexpr int width() const noexcept {
    return (signedness == mx::signedness::with_sign ? 1 : 0) + exponent_bits + fraction_bits;
  }
  /// Exponent of the smallest normal, shared by the subnormals.
  [[nodiscard]] MX_HD constexpr int emin() const noexcept {
    return (lowest_field == mx::lowest_field::subnormal ? 1 : 0) - bias;
  }
  /// Exponent of the largest finite magnitude.
  [[nodiscard]] MX_HD constexpr int emax() const noexcept {
    return static_cast<int>(max_code() >> fraction_bits) - bias;
  }
  /// Largest finite significand, hidden bit included; its unit is 2^(emax - fraction_bits).
  [[nodiscard]] MX_HD constexpr std::uint64_t max_significand() const noexcept {
    const std::uint32_t hidden = std::uint32_t{1} << fraction_bits;
    return hidden | (max_code() & (hidden - 1));
  }
  [[nodiscard]] MX_HD constexpr std::uint32_t magnitude_mask() const noexcept {
    return (std::uint32_t{1} << (exponent_bits + fraction_bits)) - 1;
  }
  /// 0 in unsigned formats.
  [[nodiscard]] MX_HD constexpr std::uint32_t sign_mask() const noexcept {
    return signedness == mx::signedness::with_sign ? magnitude_mask() + 1 : 0;
  }
  /// Code of the largest finite magnitude.
  [[nodiscard]] MX_HD constexpr std::uint32_t max_code() const noexcept {
    switch (specials) {
      case mx::specials::ieee:
      case mx::specials::top_field:
        return infinity_code() - 1;
      case mx::specials::top_code:
        return magnitude_mask() - 1;
      case mx::specials::none:
      case mx::specials::fnuz:
        break;
    }
    return magnitude_mask();
  }
  /// First code of the top exponent field: Inf if specials is ieee.
  [[nodiscard]] MX_HD constexpr std::uint32_t infinity_code() const noexcept {
    return (magnitude_mask() >> fraction_bits) << fraction_bits;
  }
  [[nodiscard]] MX_HD constexpr bool has_nan() const noexcept {
    return specials != mx::specials::none;
  }
  /// Whether the format encodes -0.
  [[nodiscard]] MX_HD constexpr bool has_negative_zero() const noexcept {
    return signedness == mx::signedness::with_sign && specials != mx::specials::fnuz &&
           sign_form == mx::sign_form::sign_magnitude;
  }
  /// The NaN that is written: quiet, positive, no payload. Requires has_nan().
  [[nodiscard]] MX_HD constexpr std::uint32_t nan_code() const noexcept {
    switch (specials) {
      case mx::specials::ieee:
        return infinity_code() + (std::uint32_t{1} << (fraction_bits - 1));
      case mx::specials::top_code:
        return magnitude_mask();
      case mx::specials::top_field:
        return infinity_code();
      case mx::specials::none:
      case mx::specials::fnuz:
        break;
    }
    return sign_mask();
  }

  friend constexpr bool operator==(const format&, const format&) = default;
};

}  // namespace mx
