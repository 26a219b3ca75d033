// SPDX-License-Identifier: Apache-2.0
// mx/tensor/corrected.h: quantization of whole tensors with corrections, and back; threaded.
// Equals mx::quantize_line and mx::dequantize_line on every vector along the axis.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "mx/block/corrected_quantizer.h"
#include "mx/tensor/blocks.h"

namespace mx {

/// The quantized shape: the axis padded to whole blocks and whole rotations.
[[nodiscard]] constexpr blocked_shape padded_shape(const quantization& q, const corrections& c,
                                                   blocked_shape shape) noexcept {
  shape.length =
      static_cast<std::uint64_t>(padded_length(q, c, static_cast<std::int64_t>(shape.length)));
  return shape;
}

/// Macro blocks of one vector along the axis; 0 without macro blocks.
[[nodiscard]] constexpr std::uint64_t macro_blocks_along(const corrections& c,
                                                         const blocked_shape& padded) noexcept {
  const auto span = static_cast<std::uint64_t>(c.macro_block);
  return span == 0 ? 0 : (padded.length + span - 1) / span;
}

/// Codes, scales and factors of one pass. Codes and scales as quantize_tensor orders them for the
/// padded shape; factors in the order (o, r, macro block along the axis, i).
struct coded_pass {
  std::vector<std::uint8_t> codes, scales;
  std::vector<std::uint16_t> macro_fractions;  ///< empty without macro blocks
};

/// The fractions of a pass's factors from their stored bytes: one each if the corrections specify
/// at most 8 bits, else two, the low one first.
[[nodiscard]] std::vector<std::uint16_t> fractions_in(const corrections& c,
                                                      std::span<const std::uint8_t> bytes);

/// Index of the first fraction with more bits than the corrections allow; nothing if all fit.
[[nodiscard]] std::optional<std::uint64_t> impossible_factor(
    const corrections& c, std::span<const std::uint16_t> fractions);

/// A tensor after quantization with corrections: the arrays to store.
struct corrected_tensor {
  blocked_shape shape;  ///< padded
  code_packing packing = code_packing::packed;
  coded_pass first, residual;  ///< the residual is empty without a fallback
  std::vector<float> tensor_scales;
  std::uint64_t special_blocks = 0;
  std::uint64_t granules = 0, fallen_back = 0;  ///< granules, and how many have a residual
};

/// Quantizes a tensor along its axis.
///   x        any alignment; FP16 and BF16 are widened
///   values   null, or receives the dequantized values, without the padding
///   errors   throws std::invalid_argument if a refusal is not none, or if the length of the axis
///            exceeds 2^30
[[nodiscard]] corrected_tensor quantize_corrected(const quantization& q, const corrections& c,
                                                  number_type type, const void* x,
                                                  const blocked_shape& shape, code_packing packing,
                                                  float* values = nullptr,
                                                  const blocks_done& done = {});

/// The values after a quantization to nearest even and back, without corrections: the first pass of
/// `double`, along the other axis.
[[nodiscard]] std::vector<float> values_after_pass(quantization q, number_type type, const void* x,
                                                   const blocked_shape& shape);

/// Writes the dequantized values, without the padding.
///   shape  of the values; coded.shape is its padded_shape
///   coded  must not contain an impossible_factor
void dequantize_corrected(const quantization& q, const corrections& c,
                          const corrected_tensor& coded, const blocked_shape& shape, float* out,
                          const blocks_done& done = {});

}  // namespace mx
