// SPDX-License-Identifier: Apache-2.0
// sim/cli/terminal/exact_text.h: numbers as exact text.
#pragma once
#include <cstdint>
#include <string>

#include "mx/number/unpacked.h"

namespace sim::cli {

/// numerator * 2^exponent / divisor, exactly.
///   divisor  not zero
struct exact_number {
  mx::wide_integer numerator = 0;
  int exponent = 0;
  std::uint64_t divisor = 1;
  bool negative_zero = false;
};

/// a / b, exactly.
///   b  not zero; its sign is ignored
[[nodiscard]] exact_number exact_quotient(const mx::unpacked& a, const mx::unpacked& b);

/// A fraction in lowest terms: "5/3", "-0", "3 * 2^100", "-2^-149", "1/3 * 2^-149".
[[nodiscard]] std::string fraction_text(exact_number number);
/// The same; NaN, Inf and -Inf by these names.
[[nodiscard]] std::string fraction_text(const mx::unpacked& value);

/// " (about 0.3333)" where the value is no short decimal, else empty.
[[nodiscard]] std::string about_text(double value);
[[nodiscard]] std::string about_text(const exact_number& number);

/// The shortest decimal that reads back to the same bits.
[[nodiscard]] std::string decimal_text(float value);
/// The value of a code, as a decimal.
[[nodiscard]] std::string decimal_text(const mx::unpacked& value);
/// The same where no digit of the decimal is rounded, else as fraction_text: "6", "4294967296".
///   value  of an element or a bound between two: few bits of significand
[[nodiscard]] std::string exact_decimal_text(const mx::unpacked& value);

/// "0x40966666"
[[nodiscard]] std::string hex_text(float value);

/// Sign, exponent field and fraction field of FP32: "0 10000001 00101100110011001100110".
[[nodiscard]] std::string field_text(float value);

/// The low bits of a code, highest first.
[[nodiscard]] std::string binary_text(unsigned code, int width);

}  // namespace sim::cli
