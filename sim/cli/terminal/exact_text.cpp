// SPDX-License-Identifier: Apache-2.0
// sim/cli/terminal/exact_text.cpp: numbers as exact text.
#include "sim/cli/terminal/exact_text.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "mx/number/element.h"
#include "mx/spelling.h"

namespace sim::cli {
namespace {

using mx::wide_integer;

int width_of(wide_integer value) {
  int width = 0;
  for (; value != 0; value /= 2) ++width;
  return width;
}

wide_integer common_divisor(wide_integer a, wide_integer b) {
  while (b != 0) {
    const wide_integer rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

}  // namespace

exact_number exact_quotient(const mx::unpacked& a, const mx::unpacked& b) {
  if (a.is_zero()) return {0, 0, 1, a.negative};
  const auto size = static_cast<wide_integer>(a.significand);
  return {a.negative ? -size : size, a.exponent - b.exponent, b.significand, false};
}

std::string fraction_text(exact_number number) {
  const bool negative = number.numerator < 0 || number.negative_zero;
  const std::string sign = negative ? "-" : "";
  if (number.numerator == 0) return sign + "0";
  wide_integer above = number.numerator < 0 ? -number.numerator : number.numerator;
  wide_integer below = static_cast<wide_integer>(number.divisor);
  int exponent = number.exponent;
  const wide_integer both = common_divisor(above, below);
  above /= both, below /= both;
  for (; above % 2 == 0; above /= 2) ++exponent;
  for (; below % 2 == 0; below /= 2) --exponent;
  // Small powers of two are folded into the fraction, so that 3/4 is not 3 * 2^-2.
  if (exponent >= 0 && width_of(above) + exponent <= 53) {
    above <<= exponent, exponent = 0;
  } else if (exponent < 0 && width_of(below) - exponent <= 53) {
    below <<= -exponent, exponent = 0;
  }
  if (above == 1 && below == 1 && exponent != 0) return fmt::format("{}2^{}", sign, exponent);
  std::string text = fmt::format("{}{}", sign, above);
  if (below != 1) text += fmt::format("/{}", below);
  if (exponent != 0) text += fmt::format(" * 2^{}", exponent);
  return text;
}

std::string fraction_text(const mx::unpacked& value) {
  if (value.kind == mx::kind::nan) return "NaN";
  if (value.kind == mx::kind::infinite) return value.negative ? "-Inf" : "Inf";
  return fraction_text(exact_quotient(value, mx::unpacked::positive(1, 0)));
}

std::string about_text(double value) {
  const std::string text = fmt::format("{:.4g}", value);
  return fmt::format("{}", value) == text ? "" : " (about " + text + ")";
}

std::string about_text(const exact_number& number) {
  return about_text(
      std::ldexp(static_cast<double>(number.numerator) / static_cast<double>(number.divisor),
                 number.exponent));
}

std::string decimal_text(float value) { return mx::decimal_text(value); }

std::string decimal_text(const mx::unpacked& value) { return decimal_text(mx::to_binary32(value)); }

std::string exact_decimal_text(const mx::unpacked& value) {
  // The decimal identifies the number among those of FP32 alone: 2^32 is 4294967300 there.
  const std::string text = decimal_text(value);
  const double exact = std::ldexp(static_cast<double>(value.significand), value.exponent);
  return std::abs(std::strtod(text.c_str(), nullptr)) == exact ? text : fraction_text(value);
}

std::string hex_text(float value) { return fmt::format("0x{:08X}", mx::bits_of(value)); }

std::string field_text(float value) {
  const std::string bits = binary_text(mx::bits_of(value), 32);
  return bits.substr(0, 1) + " " + bits.substr(1, 8) + " " + bits.substr(9);
}

std::string binary_text(unsigned code, int width) { return fmt::format("{:0{}b}", code, width); }

}  // namespace sim::cli
