// SPDX-License-Identifier: Apache-2.0
// golden/vectors/block_file.h: reads a file of committed blocks, and refuses a malformed one.
// Format: golden/vectors/README.md. This reader shares no code with the writers of the files.
#pragma once
#include "golden/vectors/word_file.h"

namespace golden::words {

/// Numbers, their scale and codes, and the FP32 numbers these decode to.
struct coded_block {
  std::string label;
  std::vector<std::uint32_t> x;
  std::uint32_t scale = 0;
  std::vector<std::uint32_t> codes, values;
};

/// Blocks in the order that random bits count.
///   input  "fp32", "fp16" or "bf16"
struct block_section {
  std::string input;
  std::vector<coded_block> blocks;
};

/// Names as in the command.
///   bits  of random words; 0 if the rounding uses none
struct block_file {
  std::string name, format, rule, rounding;
  std::uint64_t seed = 0;
  int bits = 0;
  std::uint32_t tensor_scale = 0;
  std::size_t elements = 0;
  std::vector<block_section> sections;
};

/// errors  word_file_error
[[nodiscard]] block_file parsed_blocks(const std::string& name, std::string_view text);

/// Every file of a folder that ends in .txt, sorted by name.
[[nodiscard]] std::vector<block_file> blocks_in(const std::filesystem::path& folder);

}  // namespace golden::words
