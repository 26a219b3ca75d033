// SPDX-License-Identifier: Apache-2.0
// sim/cli/terminal/input_tensor.h: opens files of tensors.
#pragma once
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <utility>
#include <vector>

#include "golden/io/chosen_tensors.h"
#include "golden/io/own_convention.h"

namespace sim::cli {

/// Whether a type holds numbers that are quantized: F32, F16, BF16.
[[nodiscard]] bool is_number(golden::io::dtype type);

/// Opens a file, or the tensors in it whose names match; refuses it, before any work, unless each
/// of them is F32, F16 or BF16.
[[nodiscard]] golden::io::tensor_file load_numbers(const std::string& path,
                                                   const golden::io::name_patterns& names = {});

/// The same of a model: integer blocks of GGUF (Q4_0, Q4_1, Q8_0) are numbers too.
[[nodiscard]] golden::io::tensor_file load_model_numbers(
    const std::string& path, const golden::io::name_patterns& names = {});

/// The files that an opened one's tensors are in: itself, or the parts of a model.
[[nodiscard]] std::vector<std::string> files_under(const golden::io::tensor_file& file);

/// Adds --tensors, which may be given several times.
void add_tensors_option(CLI::App& command, golden::io::name_patterns& names);

/// A tensor of load_model_numbers as F32, F16 or BF16: in its file, or its blocks' numbers in
/// memory.
class plain_tensor {
 public:
  explicit plain_tensor(const golden::io::tensor& stored);
  plain_tensor(const plain_tensor&) = delete;
  plain_tensor& operator=(const plain_tensor&) = delete;

  [[nodiscard]] const golden::io::tensor& get() const { return seen_; }

 private:
  std::vector<float> numbers_;  // of blocks
  golden::io::tensor seen_;
};

/// Opens a file of codes and scales under any accepted names, renamed as by `mxprism quantize`.
[[nodiscard]] golden::io::rewritten_file load_codes(const std::string& path);

/// Handles SIGBUS, sent for bytes of a mapped file that another program truncated: ends the program
/// as on other bad input, leaving no temporary file.
void refuse_files_that_shrink();

/// Throws file_error of a tensor, or of a whole file, in words of fmt::format.
template <class... Values>
[[noreturn]] void refuse_tensor(const golden::io::tensor& t, fmt::format_string<Values...> words,
                                Values&&... values) {
  throw golden::io::file_error(t.source, t.name,
                               fmt::format(words, std::forward<Values>(values)...));
}
template <class... Values>
[[noreturn]] void refuse_file(const golden::io::tensor_file& file,
                              fmt::format_string<Values...> words, Values&&... values) {
  throw golden::io::file_error(file.path(), fmt::format(words, std::forward<Values>(values)...));
}

}  // namespace sim::cli
