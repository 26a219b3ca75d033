// SPDX-License-Identifier: Apache-2.0
// golden/reference/binary32.h: FP32 patterns as exact values; values rounded to FP32 and BF16.
// Source: IEEE 754-2019, "Binary interchange format encodings" and "Rounding-direction attributes
// to nearest".
#pragma once
#include <cstdint>
#include <vector>

#include "golden/reference/rational.h"

namespace golden {

/// The NaN that every rule of the reference produces.
inline constexpr std::uint32_t canonical_nan = 0x7fc00000;

enum class zero_sign : unsigned char { positive, negative };

[[nodiscard]] std::uint32_t bits_of(float x);
[[nodiscard]] float float_of(std::uint32_t bits);
[[nodiscard]] float nan_float();

[[nodiscard]] bool is_negative(float x);  ///< the sign bit, of zeros and NaNs too
[[nodiscard]] bool is_finite(float x);
[[nodiscard]] bool all_finite(const std::vector<float>& values);

/// The exact value of a finite x.
[[nodiscard]] signed_value value_of(float x);
[[nodiscard]] std::vector<signed_value> values_of(const std::vector<float>& values);

/// Nearest FP32, ties to even, subnormals kept; Inf where the rounded magnitude exceeds FLT_MAX.
///   zero  sign of the result where the value is exactly zero; any other value keeps its own
[[nodiscard]] std::uint32_t round_to_binary32(const rational& value, zero_sign zero);

/// The same for BF16 (8 exponent bits, 7 fraction bits).
[[nodiscard]] std::uint16_t round_to_bfloat16(const rational& value, zero_sign zero);

/// Rounded to FP32; whatever becomes zero takes the sign of `like`.
[[nodiscard]] float rounded_like(const rational& value, float like);

}  // namespace golden
