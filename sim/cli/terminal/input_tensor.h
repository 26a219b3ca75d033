// SPDX-License-Identifier: Apache-2.0
// sim/cli/terminal/input_tensor.h: tensors of numbers as they come from files.
#pragma once
#include <vector>

#include "golden/io/own_convention.h"

namespace sim::cli {

/// Opens a file and refuses it, before any work, unless every tensor is F32, F16 or BF16.
[[nodiscard]] golden::io::tensor_file load_numbers(const std::string& path);

/// Opens a file of codes and scales by whatever names, as `mxprism quantize` would have written it.
[[nodiscard]] golden::io::rewritten_file load_codes(const std::string& path);

/// Ends the program as on other bad input, leaving no temporary file, where a file that is mapped is
/// shortened by another program: such bytes cannot be read, and the kernel sends SIGBUS.
void refuse_files_that_shrink();

/// "2 tensors", "1 tensor"
[[nodiscard]] std::string counted(std::uint64_t count, const std::string& noun);

}  // namespace sim::cli
