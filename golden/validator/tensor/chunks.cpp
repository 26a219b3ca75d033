// SPDX-License-Identifier: Apache-2.0
// golden/validator/tensor/chunks.cpp: a tensor as parts whose blocks, numbers and codes are
// contiguous.
#include "chunks.h"

#include <algorithm>

namespace golden::validator {
namespace {

/// How many of `total` steps of `size` elements a part takes.
std::uint64_t steps_of(std::uint64_t elements, std::uint64_t size, std::uint64_t total) {
  return std::clamp<std::uint64_t>(elements / std::max<std::uint64_t>(size, 1), 1, total);
}

chunk part(const geometry& g, std::uint64_t outer, std::uint64_t row, std::uint64_t along,
           mx::blocked_shape shape) {
  const std::uint64_t row_blocks = (g.shape().rows + g.rows() - 1) / g.rows();
  const std::uint64_t blocks_along = (shape.length + g.columns() - 1) / g.columns();
  const std::uint64_t tile_rows = (shape.rows + g.rows() - 1) / g.rows();
  const std::uint64_t line = outer * row_blocks + row / g.rows();
  return {outer,
          row,
          along,
          shape,
          (line * g.blocks_along() + along / g.columns()) * shape.inner,
          shape.outer * tile_rows * blocks_along * shape.inner};
}

}  // namespace

std::vector<chunk> chunks_of(const geometry& g, std::uint64_t elements) {
  const mx::blocked_shape& s = g.shape();
  std::vector<chunk> parts;
  // A tensor without elements may have too many lines to walk over.
  if (s.elements() == 0) return parts;
  const std::uint64_t line = s.length * s.inner, slice = s.rows * line;
  const bool whole = slice <= elements;
  const std::uint64_t outer_step =
      whole ? steps_of(elements, slice, std::max<std::uint64_t>(s.outer, 1)) : 1;
  // Two blocks at a time, so that a part starts on a byte boundary of the codes.
  const std::uint64_t pair = 2 * g.columns();
  const std::uint64_t row_step =
      whole || s.rows == 1 ? s.rows : steps_of(elements, line * g.rows(), s.rows) * g.rows();
  const std::uint64_t length_step =
      whole || s.rows > 1 ? s.length : steps_of(elements, pair * s.inner, s.length) * pair;
  for (std::uint64_t o = 0; o < s.outer; o += outer_step) {
    for (std::uint64_t r = 0; r < s.rows; r += row_step) {
      for (std::uint64_t a = 0; a < s.length; a += length_step) {
        const mx::blocked_shape shape{std::min(outer_step, s.outer - o),
                                      std::min(row_step, s.rows - r),
                                      std::min(length_step, s.length - a), s.inner};
        parts.push_back(part(g, o, r, a, shape));
      }
    }
  }
  return parts;
}

}  // namespace golden::validator
