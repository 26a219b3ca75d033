// SPDX-License-Identifier: Apache-2.0
// golden/validator/tensor/chunks.h: a tensor as parts whose blocks, numbers and codes are
// contiguous.
#pragma once
#include "geometry.h"

namespace golden::validator {

/// Whole outer slices; rows of one slice; or a part of the axis of one slice.
struct chunk {
  std::uint64_t outer = 0, row = 0, along = 0;  ///< start of the part; along counts elements
  mx::blocked_shape shape;
  std::uint64_t first_block = 0, blocks = 0;
};

/// The parts of a tensor, in block order.
///   elements  approximate size of a part; a part along the axis holds at least one block for every
///             inner index
[[nodiscard]] std::vector<chunk> chunks_of(const geometry& g, std::uint64_t elements);

}  // namespace golden::validator
