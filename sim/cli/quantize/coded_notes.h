// SPDX-License-Identifier: Apache-2.0
// sim/cli/quantize/coded_notes.h: how a file of codes was made, as its metadata say it.
#pragma once
#include <string>

#include "golden/io/tensor_file.h"
#include "sim/cli/rules/chosen_recipe.h"

namespace sim::cli {

/// Who says how codes are packed: nobody, so that shapes decide it; or metadata, an option, a preset.
enum class packing_source : unsigned char { shapes, words };

/// What is the same for all tensors of a file.
struct file_recipe {
  mx::recipe recipe;
  packing_source packing = packing_source::shapes;
};

/// The metadata of a recipe: everything that is needed to make or read the codes again.
[[nodiscard]] golden::io::metadata notes_of(const mx::recipe& r);

/// How a file was made.
///   options  what they name replaces the metadata; --axis is of no concern here
///   errors   file_error where the metadata are wrong, usage_error where the options are
[[nodiscard]] file_recipe recipe_of(const golden::io::tensor_file& file,
                                    const mx::recipe_words& options);

/// The metadata of one tensor; null where they have no such key.
[[nodiscard]] const std::string* note(const golden::io::tensor_file& file, const std::string& key);

}  // namespace sim::cli
