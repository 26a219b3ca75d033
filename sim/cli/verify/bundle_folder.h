// SPDX-License-Identifier: Apache-2.0
// sim/cli/verify/bundle_folder.h: the folder of --repro.
#pragma once
#include <string>

namespace sim::cli {

/// Creates the folder; an existing one must be empty.
///   errors  usage_error
void make_bundle_folder(const std::string& folder);

}  // namespace sim::cli
