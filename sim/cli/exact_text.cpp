// SPDX-License-Identifier: Apache-2.0
// sim/cli/exact_text.cpp: numbers as text that loses nothing.
#include "sim/cli/exact_text.h"

#include <fmt/format.h>

#include <cmath>

namespace sim::cli {

std::string fraction_text(bool negative, std::uint64_t significand, int exponent,
                          std::uint64_t divisor) {
  const std::string sign = negative ? "-" : "";
  if (significand == 0) return sign + "0";
  for (; significand % 2 == 0; significand /= 2) ++exponent;
  if (significand % divisor == 0) significand /= divisor, divisor = 1;
  if (exponent >= 0 && mx::bit_width(significand) + exponent <= 53) {
    significand <<= exponent, exponent = 0;
  } else if (exponent < 0 && mx::bit_width(divisor) - exponent <= 53) {
    divisor <<= -exponent, exponent = 0;
  }
  if (significand == 1 && divisor == 1 && exponent != 0) {
    return fmt::format("{}2^{}", sign, exponent);
  }
  std::string text = fmt::format("{}{}", sign, significand);
  if (divisor != 1) text += fmt::format("/{}", divisor);
  if (exponent != 0) text += fmt::format(" * 2^{}", exponent);
  return text;
}

std::string fraction_text(const mx::unpacked& value) {
  if (value.kind == mx::kind::nan) return "NaN";
  if (value.kind == mx::kind::infinite) return value.negative ? "-Inf" : "Inf";
  return fraction_text(value.negative, value.significand, value.exponent);
}

std::string twelfths_text(std::int64_t twelfths, int exponent) {
  const auto magnitude = static_cast<std::uint64_t>(twelfths < 0 ? -twelfths : twelfths);
  return fraction_text(twelfths < 0, magnitude, exponent - 2, 3);
}

std::string about_text(double value) {
  const std::string text = fmt::format("{:.4g}", value);
  return fmt::format("{}", value) == text ? "" : " (about " + text + ")";
}

std::string decimal_text(float value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Inf" : "Inf";
  return fmt::format("{}", value);
}

std::string hex_text(float value) { return fmt::format("0x{:08X}", mx::bits_of(value)); }

std::string field_text(float value) {
  const std::string bits = binary_text(mx::bits_of(value), 32);
  return bits.substr(0, 1) + " " + bits.substr(1, 8) + " " + bits.substr(9);
}

std::string binary_text(unsigned code, int width) { return fmt::format("{:0{}b}", code, width); }

}  // namespace sim::cli
