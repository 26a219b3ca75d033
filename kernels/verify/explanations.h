// SPDX-License-Identifier: Apache-2.0
// kernels/verify/explanations.h: cases that differ, explained by the command `mxprism`.
#pragma once
#include <filesystem>
#include <ostream>
#include <string>

#include "verdict.h"

namespace mx::kernels {

/// Runs the last command of the bundle of the first case that differs in each group, in its folder.
///   command  the program `mxprism`
///   repro    folder of the bundles (write_bundle)
///   errors   std::runtime_error: the command cannot be started
void explain_differences(const verdict& found, const std::filesystem::path& command,
                         const std::filesystem::path& repro, std::ostream& out);

}  // namespace mx::kernels
