// SPDX-License-Identifier: Apache-2.0
// kernels/verify/golden_blocks.h: golden's committed blocks (golden/vectors) as cases for kernels.
#pragma once
#include "case_table.h"
#include "golden/vectors/block_file.h"

namespace mx::kernels {

/// A case with its input, and what golden says comes out; row i is block i.
///   labels  what block i is for
struct golden_blocks {
  kernel_case one;
  case_input input;
  std::vector<named_bytes> expected;
  std::vector<std::string> labels;
};

/// Of every section of the files two cases: it is quantized, and what golden makes of it is
/// dequantized.
///   errors  std::invalid_argument where a file names what the emulator has not
[[nodiscard]] std::vector<golden_blocks> golden_blocks_of(
    const std::vector<golden::words::block_file>& files);

/// The first byte that differs, and the label of its block.
[[nodiscard]] std::string difference_between(const golden_blocks& one,
                                             const std::vector<named_bytes>& found);

}  // namespace mx::kernels
