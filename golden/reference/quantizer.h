// SPDX-License-Identifier: Apache-2.0
// golden/reference/quantizer.h: MXFP4 blocks: one E8M0 scale, E2M1 codes, ties to the even code.
// Source: OCP Microscaling Formats (MX) v1.0, clause 6.3.
#pragma once
#include <cstdint>
#include <vector>

#include "golden/reference/binary32.h"
#include "golden/reference/scale_rule.h"

namespace golden {

inline constexpr int block_elements = 32;  ///< elements that share a scale

/// The scale byte of a block that holds a NaN or an Inf.
inline constexpr std::uint8_t nan_scale = 255;

struct coded_block {
  std::uint8_t scale = 0;           ///< e + 127; 0 for a block of zeros
  std::vector<std::uint8_t> codes;  ///< 8 for the sign, plus the index of the magnitude in grid()
  friend bool operator==(const coded_block&, const coded_block&) = default;
};

/// The magnitudes of E2M1, by code: 0, 0.5, 1, 1.5, 2, 3, 4, 6.
[[nodiscard]] const std::vector<rational>& grid();

/// Code of the grid magnitude nearest to a non-negative number; of two equally near, the even code.
[[nodiscard]] std::uint8_t nearest_code(const rational& magnitude);

/// Scale of a block, and of one whose amax alone decides: not for mse and quest.
[[nodiscard]] std::uint8_t scale_byte(const exact_block& block, scale_rule rule);
[[nodiscard]] std::uint8_t scale_byte(const rational& amax, scale_rule rule);
[[nodiscard]] rational scale_value(std::uint8_t byte);  ///< 2^(byte - 127); byte is not 255

/// The block that stands for exact values.
[[nodiscard]] coded_block quantize_exact(const exact_block& block, scale_rule rule);
/// The exact values that a block stands for; its scale is not 255.
[[nodiscard]] exact_block dequantize_exact(const coded_block& block);

/// The block that stands for FP32 numbers: scale 255 and codes 0 where one of them is NaN or Inf.
[[nodiscard]] coded_block quantize(const std::vector<float>& block, scale_rule rule);
/// The FP32 numbers that a block stands for: Inf beyond FLT_MAX, NaN everywhere under scale 255.
[[nodiscard]] std::vector<float> dequantize(const coded_block& block);

}  // namespace golden
