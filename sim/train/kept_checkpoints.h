// SPDX-License-Identifier: Apache-2.0
// sim/train/kept_checkpoints.h: earlier checkpoints of an arm beside its last one,
// NAME.safetensors: NAME.steps/0000020.safetensors, ...
#pragma once
#include <filesystem>

namespace sim {

/// Keeps a checkpoint that was just written, and removes all but the last so many.
///   last  the file; its copy among the kept ones is a second name of the same bytes where the file
///         system has those
///   most  checkpoints, the last one included; 0, 1: no copy is made
///   errors  golden::io::file_error
void keep_checkpoint(const std::filesystem::path& last, int step, int most);

/// The file, or the newest of the kept ones where it was removed. It need not exist.
[[nodiscard]] std::filesystem::path newest_checkpoint(const std::filesystem::path& last);

/// Removes the file, the kept ones, and their folder if it is then empty.
///   errors  std::filesystem::filesystem_error where a file cannot be removed
void remove_checkpoints(const std::filesystem::path& last);

}  // namespace sim
