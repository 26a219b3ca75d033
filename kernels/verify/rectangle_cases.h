// SPDX-License-Identifier: Apache-2.0
// kernels/verify/rectangle_cases.h: cases of blocks of several rows.
#pragma once
#include "case_list.h"

namespace mx::kernels {

/// Cases of 128 x 128 use FP16, for which an adversarial matrix has no Inf and no NaN.
inline void add_rectangles(case_list& list) {
  using enum rounding;
  const quantization small[] = {{block_formats::nvfp4_2d, scale_rule::ideal},
                                {block_formats::nvfp4_2d, scale_rule::ideal, stochastic, {3, 8}},
                                {block_formats::nvfp4_2d, scale_rule::four_over_six_mse}};
  const quantization large{block_formats::fp8_128x128, scale_rule::ideal};
  for (const quantization& how : small) {
    list.quantize(how, number_type::bf16, {40, 70}, scale_layout::blocked_8x4, wanted::both,
                  "blocks of rows");
  }
  list.quantize(large, number_type::fp16, {129, 260}, scale_layout::linear, wanted::both,
                "blocks of rows");
  for (const number_type type : {number_type::fp32, number_type::fp16, number_type::bf16}) {
    list.dequantize(block_formats::nvfp4_2d, type, {21, 70}, "blocks");
    list.fake_quantize(small[0], type, {40, 70}, "blocks of rows");
  }
  list.dequantize(block_formats::fp8_128x128, number_type::fp32, {130, 140}, "blocks");
  list.decompose(small[0], number_type::fp32, {300, 240}, "blocks of rows, sum");
  list.decompose(large, number_type::fp16, {257, 400}, "blocks of rows, sum");
}

}  // namespace mx::kernels
