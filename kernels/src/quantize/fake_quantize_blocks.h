// SPDX-License-Identifier: Apache-2.0
// kernels/src/quantize/fake_quantize_blocks.h: blocks of any format quantized and dequantized in
// place, by the core's own functions: a thread processes a block.
#pragma once
#include "quantize/blocks.h"
#include "quantize/dequantize_blocks.h"

namespace mx::kernels {

///   out         of the type of from.x; may be it, with the same stride
///   out_stride  elements between lines
struct fake_blocks_arguments {
  quantization how;
  matrix_lines from;
  const float* tensor_scale = nullptr;
  std::uint64_t blocks_a_line = 0;
  void* out = nullptr;
  std::uint64_t out_stride = 0;
};

/// Thread t of the grid processes block t.
template <class Thread>
MX_HD void fake_quantize_blocks(const Thread& self, const fake_blocks_arguments& to) {
  const std::uint64_t number =
      self.block() * block_threads + static_cast<std::uint64_t>(self.index());
  if (number >= to.from.lines * to.blocks_a_line) return;
  const auto size = static_cast<std::uint64_t>(to.how.format.size());
  const std::uint64_t line = number / to.blocks_a_line, first = number % to.blocks_a_line * size;
  float x[largest_block] = {};
  std::uint8_t codes[largest_block];
  load_block(to.from, line, first, size, x);
  const unpacked tensor = loaded_tensor_scale(to.tensor_scale);
  const chosen_scale scale = quantize_block(to.how, x, tensor, number, codes);
  for (std::uint64_t i = 0; i < size && first + i < to.from.length; ++i) {
    const float value = scale.special ? float_of(nan_bits)
                                      : dequantize_element(to.how.format, codes[i], scale.ratio);
    store_value(to.out, to.from.type, line * to.out_stride + first + i, value);
  }
}

}  // namespace mx::kernels
