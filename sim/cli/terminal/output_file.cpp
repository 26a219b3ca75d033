// SPDX-License-Identifier: Apache-2.0
// sim/cli/terminal/output_file.cpp: an output path, checked before long work begins.
#include "sim/cli/terminal/output_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "sim/cli/terminal/command.h"

namespace sim::cli {

void expect_writable(const std::string& path, const std::vector<std::string_view>& extensions) {
  const std::filesystem::path file(path);
  if (std::ranges::find(extensions, file.extension().string()) == extensions.end()) {
    std::string expected;
    for (const std::string_view e : extensions) {
      expected += (expected.empty() ? "" : " or ") + std::string(e);
    }
    throw usage_error("{}: cannot be written: its name must end in {}", path, expected);
  }
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored)) {
    throw usage_error("{}: cannot be written: folder {} does not exist; create it first", path,
                      folder.string());
  }
  if (std::filesystem::is_directory(file, ignored)) {
    throw usage_error("{}: cannot be written: is a folder; expected a file name", path);
  }
  if (std::filesystem::exists(file, ignored) && !std::filesystem::is_regular_file(file, ignored)) {
    throw usage_error("{}: cannot be written: is not a regular file; expected a file name", path);
  }
}

void expect_no_input(const std::string& path, const std::vector<std::string>& inputs) {
  for (const std::string& input : inputs) {
    std::error_code ignored;
    if (!std::filesystem::equivalent(path, input, ignored)) continue;
    const std::string same = path == input ? "" : fmt::format(", as {}", input);
    throw usage_error("{}: is read{}, and writing would replace it; name another file to write",
                      path, same);
  }
}

}  // namespace sim::cli
