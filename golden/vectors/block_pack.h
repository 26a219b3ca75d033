// SPDX-License-Identifier: Apache-2.0
// golden/vectors/block_pack.h: the quantizations with committed blocks.
#pragma once
#include <string>
#include <vector>

#include "golden/reference/block_quantizer.h"

namespace golden {

/// The blocks of one quantization.
///   format, rule, rounding  as the command names them
///   elements                of a block
///   tensor_scale            of every block; 1 if the format has none
struct block_pack {
  std::string format, rule, rounding;
  std::size_t elements = 32;
  quantization how;
  float tensor_scale = 1;

  /// "mxfp4.floor.nearest-even"
  [[nodiscard]] std::string name() const { return format + "." + rule + "." + rounding; }
};

/// Every format with blocks in rows, every rule of MXFP4, every rounding.
[[nodiscard]] std::vector<block_pack> block_packs();

}  // namespace golden
