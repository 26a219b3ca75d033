// SPDX-License-Identifier: Apache-2.0
// sim/cli/exact_text.h: numbers as text that loses nothing.
#pragma once
#include <cstdint>
#include <string>

#include "mx/components.h"

namespace sim::cli {

/// (-1)^negative * significand * 2^exponent / divisor as a fraction in lowest terms: "5/3", "-0",
/// "3 * 2^100", "-2^-149", "1/3 * 2^-149".
///   divisor  1 or 3
[[nodiscard]] std::string fraction_text(bool negative, std::uint64_t significand, int exponent,
                                        std::uint64_t divisor = 1);
[[nodiscard]] std::string fraction_text(const mx::unpacked& value);

/// twelfths * 2^exponent / 12
[[nodiscard]] std::string twelfths_text(std::int64_t twelfths, int exponent);

/// " (about 0.3333)" where the value is no short decimal, else nothing.
[[nodiscard]] std::string about_text(double value);

/// The shortest decimal that reads back to the same bits.
[[nodiscard]] std::string decimal_text(float value);

/// "0x40966666"
[[nodiscard]] std::string hex_text(float value);

/// Sign, exponent field and fraction field of FP32: "0 10000001 00101100110011001100110".
[[nodiscard]] std::string field_text(float value);

/// The low bits of a code, highest first.
[[nodiscard]] std::string binary_text(unsigned code, int width);

}  // namespace sim::cli
