// SPDX-License-Identifier: Apache-2.0
// golden/probe/block_pool.h: blocks at which kernels are known to differ, of which a probe takes some.
// Sources: golden/validator/tensor/probe_block.h; the thresholds of scale rules (mx/block/scale.h)
// and the bands in which a rounded log2 is wrong (mx/number/log2_bands.h).
#pragma once
#include <string>
#include <vector>

#include "mx/tensor/blocks.h"

namespace golden::probe {

/// Blocks that may lie in one tensor: what becomes of one does not depend on which others do.
///   name      of the tensor
///   anchored  the first block has the largest magnitude, which a tensor scale is made from: it must
///             be taken
///   what      a sentence on each block
///   values    rows * columns of each block, held by the type
///   bytes     the same in the type
struct block_pool {
  std::string name;
  bool anchored = false;
  std::vector<std::string> what;
  std::vector<float> values;
  mx::number_type type = mx::number_type::fp32;
  std::vector<std::uint8_t> bytes;

  [[nodiscard]] std::size_t blocks() const { return what.size(); }
};

/// One pool, called `x`; several where a tensor has a scale, which NaN, Inf or a far magnitude decides
/// for all of its blocks.
///   type  of the numbers: FP32 numbers go to the nearest one, and to those on both sides
[[nodiscard]] std::vector<block_pool> block_pools(const mx::block_format& f, mx::number_type type);

/// A number that a type holds, little-endian.
void append_number(mx::number_type type, float x, std::vector<std::uint8_t>& bytes);

/// Whether the type has the number.
[[nodiscard]] bool holds(mx::number_type type, float x);

}  // namespace golden::probe
