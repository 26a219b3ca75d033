// SPDX-License-Identifier: Apache-2.0
// golden/io/chosen_tensors.h: the tensors of a file whose names match patterns.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "golden/io/tensor_file.h"

namespace golden::io {

/// Patterns of names, in which * stands for any text.
using name_patterns = std::vector<std::string>;

/// Whether one of the patterns is the whole name's; no patterns: every name's.
[[nodiscard]] bool matches(const name_patterns& patterns, std::string_view name);

/// The file with those tensors alone, foreign ones as well, in the order of the file.
///   errors  file_error if a pattern matches none
[[nodiscard]] tensor_file chosen_tensors(const tensor_file& all, const name_patterns& patterns);

}  // namespace golden::io
