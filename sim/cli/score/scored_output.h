// SPDX-License-Identifier: Apache-2.0
// sim/cli/score/scored_output.h: the correct output for an input, and each known bug of it.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "golden/io/owned_tensor.h"
#include "golden/io/tensor_file.h"
#include "mx/tensor/recipe.h"

namespace sim::cli {

/// A known bug, and a file's arrays with it.
struct output_bug {
  std::string name, sentence;
  std::function<std::vector<golden::io::owned_tensor>()> arrays;
};

///   notes  metadata of every output, correct or wrong
struct scored_output {
  std::vector<golden::io::owned_tensor> right;
  std::vector<output_bug> bugs;
  golden::io::metadata notes;
};

/// Codes and scales, as `quantize` writes them.
///   errors  usage_error, file_error for input that cannot be quantized, or has no mutants
[[nodiscard]] scored_output scored_codes(const golden::io::tensor_file& input, const mx::recipe& r);

/// d = a * b of a file with a (M, K) and b (K, N), both quantized along K, under a model.
[[nodiscard]] scored_output scored_product(const golden::io::tensor_file& input,
                                           const mx::recipe& r, const std::string& model);

/// Writes all arrays of a file.
void save_arrays(const std::string& path, const std::vector<golden::io::owned_tensor>& arrays,
                 const golden::io::metadata& notes);

/// Number of bytes in which two arrays differ; all of them if the lengths differ.
[[nodiscard]] std::uint64_t bytes_changed(const golden::io::owned_tensor& a,
                                          const golden::io::owned_tensor& b);

/// Writes typical numbers of tests, the same everywhere: N(0, 1), half of the rows in BF16.
///   of_quantizer  x (128, 2048)
///   of_product    a (64, 2048), in which every fourth row has blocks of different magnitudes, and
///                 b (2048, 64)
enum class usual_numbers : unsigned char { of_quantizer, of_product };
void write_usual_input(const std::string& path, usual_numbers which);

}  // namespace sim::cli
