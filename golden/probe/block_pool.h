// SPDX-License-Identifier: Apache-2.0
// golden/probe/block_pool.h: blocks on which kernels are known to differ, from which a probe
// selects.
// Sources: golden/validator/tensor/probe_block.h; the thresholds of scale rules (mx/block/scale.h)
// and the bands in which a rounded log2 is wrong (mx/number/log2_bands.h).
#pragma once
#include <string>
#include <vector>

#include "mx/tensor/blocks.h"

namespace golden::probe {

/// Blocks that may share a tensor: the result of one does not depend on which others are present.
///   name      of the tensor
///   needed    all of its blocks must be taken: its tensor scale is what distinguishes recipes
///   anchored  the first block has the largest magnitude, which determines the tensor scale: it
///             must be taken
///   what      a sentence on each block
///   values    rows * columns of each block, representable in the type
///   bytes     the same numbers in the type
struct block_pool {
  std::string name;
  bool needed = false, anchored = false;
  std::vector<std::string> what;
  std::vector<float> values;
  mx::number_type type = mx::number_type::fp32;
  std::vector<std::uint8_t> bytes;

  [[nodiscard]] std::size_t blocks() const { return what.size(); }
};

/// One pool, called `x`; several if the format has a tensor scale, which NaN, Inf or a far
/// magnitude determines for all blocks of a tensor.
///   type  of the numbers: FP32 numbers are rounded to nearest, and to both neighbours
[[nodiscard]] std::vector<block_pool> block_pools(const mx::block_format& f, mx::number_type type);

/// Whether the type can represent the number.
[[nodiscard]] bool holds(mx::number_type type, float x);

}  // namespace golden::probe
