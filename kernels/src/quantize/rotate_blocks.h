// SPDX-License-Identifier: Apache-2.0
// kernels/src/quantize/rotate_blocks.h: rotated blocks of any format, under any rule and rounding,
// by the core's own functions: a thread processes a rotation or a block, whichever is longer.
#pragma once
#include "mx/block/rotation.h"
#include "quantize/blocks.h"

namespace mx::kernels {

///   span  elements of a thread; a line is whole spans
struct rotated_blocks_arguments {
  rotation by;
  blocks_arguments to;
  std::uint64_t span = 0;
};

/// Thread t of the grid processes span t.
template <class Thread>
MX_HD void rotate_blocks(const Thread& self, const rotated_blocks_arguments& a) {
  const std::uint64_t number =
      self.block() * block_threads + static_cast<std::uint64_t>(self.index());
  const auto size = static_cast<std::uint64_t>(a.to.how.format.size());
  const std::uint64_t blocks = a.span / size, spans_a_line = a.to.from.length / a.span;
  if (number >= a.to.from.lines * spans_a_line) return;
  float x[largest_block];
  load_block(a.to.from, number / spans_a_line, number % spans_a_line * a.span, a.span, x);
  rotate(a.by, x, static_cast<int>(a.span));
  for (std::uint64_t b = 0; b < blocks; ++b) {
    quantize_loaded_block(a.to, number * blocks + b, x + b * size);
  }
}

}  // namespace mx::kernels
