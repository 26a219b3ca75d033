// SPDX-License-Identifier: Apache-2.0
// sim/cli/terminal/input_tensor.h: tensors of numbers as they come from files.
#pragma once
#include <vector>

#include "golden/io/tensor_file.h"

namespace sim::cli {

/// Opens a file and refuses it, before any work, unless every tensor is F32, F16 or BF16.
[[nodiscard]] golden::io::tensor_file load_numbers(const std::string& path);

/// "2 tensors", "1 tensor"
[[nodiscard]] std::string counted(std::uint64_t count, const std::string& noun);

}  // namespace sim::cli
