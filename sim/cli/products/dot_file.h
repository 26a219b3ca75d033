// SPDX-License-Identifier: Apache-2.0
// sim/cli/products/dot_file.h: a file of dot-product-adds: operands, C, and optional results.
#pragma once
#include <vector>

#include "golden/io/tensor_file.h"
#include "sim/cli/products/code_view.h"
#include "sim/cli/products/word_formats.h"

namespace sim::cli {

/// --a-format --b-format --scale-format --block
void add_word_options(CLI::App& command, word_options& options);

/// Vectors of K elements, and the named model with their formats.
///   scales     for each vector and operand; 0: none
///   d_type     of results
struct dot_file {
  mx::dot_model model;
  std::uint64_t vectors = 0, k = 0, scales = 0;
  code_view a, b, c, d, scale_a, scale_b;
  golden::io::dtype d_type = golden::io::dtype::u32;
};

/// Codes of one vector, widened.
struct dot_word {
  std::vector<std::uint32_t> a, b, scale_a, scale_b;
  std::uint32_t c = 0;

  void read(const dot_file& words, std::uint64_t vector);
};

/// The words of a file; it must outlive them.
///   errors  file_error with the tensor and what was expected; usage_error
[[nodiscard]] dot_file words_of(const golden::io::tensor_file& file, const mx::named_model& model,
                                const word_options& options);

}  // namespace sim::cli
