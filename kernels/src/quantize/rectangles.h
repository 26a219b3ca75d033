// SPDX-License-Identifier: Apache-2.0
// kernels/src/quantize/rectangles.h: blocks of several rows into codes and scales, and their values
// in place: a block of threads processes a block of the matrix.
// Equals mx::quantize_tensor and mx::dequantize_tensor
// (tests/kernels/quantize/rectangles_test.cpp).
#pragma once
#include "quantize/fake_quantize_blocks.h"
#include "quantize/rectangle.h"

namespace mx::kernels {

/// Block b of the grid quantizes block b of the matrix, in the order of the scales.
///   to  the lines of its place are lines of blocks
template <class Thread>
MX_HD void quantize_rectangles(const Thread& self, const blocks_arguments& to) {
  const block_format& f = to.how.format;
  const rectangle<Thread> block(self, to.how, to.from, self.block(), to.place.blocks_a_line,
                                loaded_tensor_scale(to.tensor_scale));
  if (self.index() == 0) {
    store_scale(f.scale, to.scales, to.place(self.block()), block.scale().code);
  }
  // Two codes of a byte belong to one row: a row has an even number of codes.
  const int together = f.element.width() == 4 ? 2 : 1;
  for (int i = self.index() * together; i < block.size(); i += rectangle_threads * together) {
    const std::uint64_t line = block.line_of(i);
    if (line >= to.from.lines) return;
    std::uint32_t byte = block.code_of(i);
    if (together == 2) byte |= block.code_of(i + 1) << 4;
    const std::uint64_t along = block.along_of(i) / static_cast<std::uint64_t>(together);
    to.codes[line * to.line_bytes + along] = static_cast<std::uint8_t>(byte);
  }
}

/// Number of blocks of a matrix.
[[nodiscard]] MX_HD inline std::uint64_t rectangles_of(const fake_blocks_arguments& to) noexcept {
  const auto rows = static_cast<std::uint64_t>(to.how.format.rows);
  return (to.from.lines + rows - 1) / rows * to.blocks_a_line;
}

/// The same, storing the quantized and dequantized values in place, in out.
template <class Thread>
MX_HD void fake_quantize_rectangles(const Thread& self, const fake_blocks_arguments& to) {
  const rectangle<Thread> block(self, to.how, to.from, self.block(), to.blocks_a_line,
                                loaded_tensor_scale(to.tensor_scale));
  for (int i = self.index(); i < block.size(); i += rectangle_threads) {
    if (!block.is_inside(i)) continue;
    const float value = block.scale().special ? float_of(nan_bits)
                                              : dequantize_element(to.how.format, block.code_of(i),
                                                                   block.scale().ratio);
    store_value(to.out, to.from.type, block.line_of(i) * to.out_stride + block.along_of(i), value);
  }
}

}  // namespace mx::kernels
