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

/// A file of words, and what determines its formats.
struct word_source {
  const golden::io::tensor_file& file;
  const mx::named_model& model;
  const word_options& options;

  /// Whether the model's name gives the formats.
  [[nodiscard]] bool is_of_model() const { return model.operands == mx::operands::of_model; }

  /// The elements of a or b.
  ///   own        the model's format of this operand
  ///   requested  by --a-format or --b-format
  ///   errors     usage_error or file_error where the sources disagree or none specifies it
  [[nodiscard]] mx::format element_format(const golden::io::tensor& t, const mx::format& own,
                                          const std::optional<std::string>& requested) const;

  /// The format of the scales, and the elements that share one.
  ///   k  elements of a word
  [[nodiscard]] mx::format scale_format(const golden::io::tensor& scale) const;
  [[nodiscard]] int block_size(const golden::io::tensor& scale, std::uint64_t k) const;
};

}  // namespace sim::cli
