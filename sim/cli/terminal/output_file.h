// SPDX-License-Identifier: Apache-2.0
// sim/cli/terminal/output_file.h: an output path, checked before long work begins.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace sim::cli {

/// Refuses (usage_error) an unsupported extension and a folder that does not exist.
void expect_writable(const std::string& path, const std::vector<std::string_view>& extensions);

/// Refuses (usage_error) an output that is one of the files that the command reads, by any of its
/// names.
void expect_no_input(const std::string& path, const std::vector<std::string>& inputs);

}  // namespace sim::cli
