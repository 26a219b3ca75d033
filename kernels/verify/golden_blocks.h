// SPDX-License-Identifier: Apache-2.0
// kernels/verify/golden_blocks.h: golden's committed blocks (golden/vectors) as cases for kernels.
#pragma once
#include "case_table.h"
#include "golden/vectors/block_file.h"

namespace mx::kernels {

/// A case with its input, and golden's results; row i is block i.
///   labels  the purpose of block i
struct golden_blocks {
  kernel_case one;
  case_input input;
  std::vector<named_bytes> expected;
  std::vector<std::string> labels;
};

/// Two cases for every section of the files: it is quantized, and golden's result is
/// dequantized.
///   errors  std::invalid_argument if a file names something the emulator does not support
[[nodiscard]] std::vector<golden_blocks> golden_blocks_of(
    const std::vector<golden::words::block_file>& files);

/// The first byte that differs, and the label of its block.
[[nodiscard]] std::string difference_between(const golden_blocks& one,
                                             const std::vector<named_bytes>& found);

}  // namespace mx::kernels
