// SPDX-License-Identifier: Apache-2.0
// sim/cli/verify/bundle_folder.cpp: the folder of --repro.
#include "sim/cli/verify/bundle_folder.h"

#include <fmt/format.h>

#include <filesystem>

#include "sim/cli/terminal/command.h"

namespace sim::cli {

void make_bundle_folder(const std::string& folder) {
  std::error_code wrong;
  std::filesystem::create_directories(folder, wrong);
  const bool usable = !wrong && std::filesystem::is_empty(folder, wrong) && !wrong;
  if (!usable) {
    throw usage_error(fmt::format("--repro {}: expected a new or an empty folder", folder));
  }
}

}  // namespace sim::cli
