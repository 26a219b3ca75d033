// SPDX-License-Identifier: Apache-2.0
// sim/cli/terminal/output_file.h: an output path, checked before long work begins.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace sim::cli {

/// Refuses (usage_error) an unsupported extension and a folder that does not exist.
void expect_writable(const std::string& path, const std::vector<std::string_view>& extensions);

/// Creates the folder of an option; an existing one must be empty.
///   errors  usage_error
void make_empty_folder(const char* option, const std::string& folder);

}  // namespace sim::cli
