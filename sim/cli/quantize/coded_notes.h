// SPDX-License-Identifier: Apache-2.0
// sim/cli/quantize/coded_notes.h: how a file of codes was made, as its metadata say it.
#pragma once
#include <optional>
#include <string>

#include "golden/io/tensor_file.h"
#include "sim/cli/rules/chosen_rules.h"
#include "sim/cli/rules/storage.h"

namespace sim::cli {

/// What is the same for all tensors of a file.
///   packing_known  whether the metadata or an option told how codes are packed
struct coding {
  chosen_rules rules;
  storage how;
  bool packing_known = false;
};

/// The metadata of rules and storage: everything that is needed to make or read the codes again.
[[nodiscard]] golden::io::metadata notes_of(const chosen_rules& rules, const storage& how);

/// How a file was made.
///   options, storage  what they name replaces the metadata; --axis is of no concern here
///   errors            file_error where the metadata are wrong, usage_error where the options are
[[nodiscard]] coding coding_of(const golden::io::tensor_file& file, const rule_options& options,
                               const storage_options& storage);

/// The metadata of one tensor; null where they have no such key.
[[nodiscard]] const std::string* note(const golden::io::tensor_file& file, const std::string& key);

}  // namespace sim::cli
