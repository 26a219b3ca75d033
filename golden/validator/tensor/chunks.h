// SPDX-License-Identifier: Apache-2.0
// golden/validator/tensor/chunks.h: a tensor as parts whose blocks, numbers and codes each lie
// together.
#pragma once
#include "geometry.h"

namespace golden::validator {

/// Whole outer slices; rows of one slice; or a part of the axis of one slice.
struct chunk {
  std::uint64_t outer = 0, row = 0, along = 0;  ///< where it begins; along counts elements
  mx::blocked_shape shape;
  std::uint64_t first_block = 0, blocks = 0;
};

/// The parts of a tensor, in the order of the blocks.
///   elements  about how many a part has; one part holds at least one block along the axis of all
///             that lies behind it
[[nodiscard]] std::vector<chunk> chunks_of(const geometry& g, std::uint64_t elements);

}  // namespace golden::validator
