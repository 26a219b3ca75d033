// SPDX-License-Identifier: Apache-2.0
// sim/cli/products/word_formats.h: the formats of a file of words, from the model's name, options,
// metadata or types of tensors, in this order.
#pragma once
#include <optional>
#include <string>

#include "golden/io/tensor_file.h"
#include "sim/cli/products/model_choice.h"

namespace sim::cli {

/// The options; absent ones follow from the model's name or the metadata.
struct word_options {
  std::optional<std::string> a_format, b_format, scale_format;
  std::optional<int> block;
};

/// The elements of a or b.
///   own     the model's format of this operand
///   requested   by --a-format or --b-format
///   errors  usage_error or file_error where the sources disagree or none specifies it
[[nodiscard]] mx::format operand_format(const golden::io::tensor_file& file,
                                        const golden::io::tensor& t, const mx::named_model& model,
                                        const mx::format& own,
                                        const std::optional<std::string>& requested);

/// The format of the scales, and the elements that share one.
///   k  elements of a word
[[nodiscard]] mx::format scale_format(const golden::io::tensor_file& file,
                                      const mx::named_model& model, const word_options& options,
                                      const golden::io::tensor& scale);
[[nodiscard]] int block_of(const golden::io::tensor_file& file, const mx::named_model& model,
                           const word_options& options, const golden::io::tensor& scale,
                           std::uint64_t k);

}  // namespace sim::cli
