// SPDX-License-Identifier: Apache-2.0
// sim/cli/verify/bundle_folder.h: the folder of --repro, which a later run replaces.
#pragma once
#include <string>

namespace sim::cli {

/// The line of a bundle's README above the command that replays it; an earlier bundle is known
/// by it.
inline constexpr const char* replay_line = "Replay in this folder:";

/// Refuses, before any work, a folder that holds anything but an earlier bundle.
///   errors  usage_error
void expect_bundle_folder(const std::string& folder);

/// Creates the folder, or removes the files of an earlier bundle from it.
///   errors  usage_error
void make_bundle_folder(const std::string& folder);

/// Removes an earlier bundle: nothing differs any more.
void remove_bundle(const std::string& folder);

}  // namespace sim::cli
