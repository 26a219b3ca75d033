// SPDX-License-Identifier: Apache-2.0
// sim/cli/quantize/coded_notes.h: the recipe of a file of codes, in its metadata.
#pragma once
#include <string>

#include "golden/io/tensor_file.h"
#include "sim/cli/rules/chosen_recipe.h"

namespace sim::cli {

/// What determines the packing of codes: shapes, if unspecified; or metadata, an option, a preset.
enum class packing_source : unsigned char { shapes, words };

/// What all tensors of a file share.
struct file_recipe {
  mx::recipe recipe;
  packing_source packing = packing_source::shapes;
};

/// The metadata of a recipe: everything needed to write or read the codes again.
[[nodiscard]] golden::io::metadata notes_of(const mx::recipe& r);

/// The recipe of a file.
///   options  override the metadata; --axis is ignored here
///   errors   file_error for invalid metadata, usage_error for invalid options
[[nodiscard]] file_recipe recipe_of(const golden::io::tensor_file& file,
                                    const mx::recipe_words& options);

/// The metadata of one tensor; null if it has no such key.
[[nodiscard]] const std::string* note(const golden::io::tensor_file& file, const std::string& key);

}  // namespace sim::cli
