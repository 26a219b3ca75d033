// SPDX-License-Identifier: Apache-2.0
// golden/io/integer_block.h: blocks of 32 small integers with an F16 factor, of GGUF files.
// Source: llama.cpp, ggml/src/ggml-common.h (block_q4_0, block_q4_1, block_q8_0) and
// ggml/src/ggml-quants.c (dequantize_row_q4_0, _q4_1, _q8_0).
//
//   Q4_0  d (F16), then 16 bytes of codes          d (code - 8)
//   Q4_1  d, m (F16), then 16 bytes of codes       d code + m
//   Q8_0  d (F16), then 32 signed bytes            d byte
//
// Byte j of 4-bit codes holds element j in its low bits, and element j + 16 in its high bits.
#pragma once
#include <vector>

#include "golden/io/tensor.h"

namespace golden::io {

[[nodiscard]] bool is_integer_block(dtype type);

/// The numbers of whole blocks. A product has at most 19 bits and is exact in FP32; the sum of Q4_1
/// is rounded once, to nearest even. Every NaN is 0x7FC00000.
[[nodiscard]] std::vector<float> numbers_of_blocks(dtype type, byte_view blocks);

}  // namespace golden::io
