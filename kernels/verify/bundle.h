// SPDX-License-Identifier: Apache-2.0
// kernels/verify/bundle.h: a case that went wrong, as files for `mxprism verify`.
#pragma once
#include <filesystem>

#include "case_table.h"

namespace mx::kernels {

/// Writes FOLDER/CASE: input.safetensors and output.safetensors of a quantizer's rows, the raw arrays
/// of all others, and README.txt: what differs, and the command that explains it.
///   errors  std::runtime_error where a file cannot be written
void write_bundle(const std::filesystem::path& folder, const kernel_case& one,
                  const case_input& input, const std::vector<named_bytes>& found,
                  const std::string& difference);

}  // namespace mx::kernels
