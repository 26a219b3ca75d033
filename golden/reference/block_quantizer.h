// SPDX-License-Identifier: Apache-2.0
// golden/reference/block_quantizer.h: a block in any element format, scale format, rule, rounding.
#pragma once
#include "golden/reference/binary32.h"
#include "golden/reference/block_scale.h"
#include "golden/reference/formats.h"
#include "golden/reference/stochastic.h"

namespace golden {

struct quantization {
  const number_format* element = &formats::e2m1();
  const number_format* scale = &formats::e8m(0);  ///< or unrounded
  scale_rule rule = scale_rule::floor;
  rounding mode = rounding::nearest_even;
  random_source random = {};  ///< where mode is stochastic
};

struct quantized_block {
  block_scale scale;
  std::vector<std::uint32_t> codes;
};

/// The block that stands for FP32 numbers divided by a tensor scale, exactly.
///   tensor_scale  positive
///   first_index   of the block's first element in the tensor, for stochastic rounding
///   special       a block with a NaN or an Inf has a NaN scale and codes 0
///   zero scale    makes zeros that keep their signs
[[nodiscard]] quantized_block quantize_block(const std::vector<float>& block, const quantization& q,
                                             const rational& tensor_scale = 1,
                                             std::uint64_t first_index = 0);

/// `dequantized` of every code of a block.
[[nodiscard]] std::vector<float> dequantize_block(const quantized_block& block,
                                                  const number_format& element,
                                                  const rational& tensor_scale = 1);

/// What one element of a block stands for: RNE32(element * scale * tensor_scale), the product
/// exact, a zero with the sign of the product. Inf times zero is a NaN, and every NaN is the
/// canonical one.
///   scales  a NaN or an Inf among them makes a NaN of every element
[[nodiscard]] float dequantized(const number& element, const number& scale,
                                const number& tensor_scale);
[[nodiscard]] float dequantized(const number& element, const number& scale,
                                const rational& tensor_scale);

}  // namespace golden
