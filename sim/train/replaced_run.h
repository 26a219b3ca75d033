// SPDX-License-Identifier: Apache-2.0
// sim/train/replaced_run.h: the files that a run leaves in its folder, told from those of others.
#pragma once
#include <filesystem>

#include "sim/study/study.h"

namespace sim {

/// Whether a folder has a file, other than the study, that a run alone writes: its lock, its
/// warm-up, its mark of the end, its metrics.
[[nodiscard]] bool holds_a_run(const std::filesystem::path& folder);

/// Removes the files of a run that one of the study `next` replaces, and then folders that are
/// empty. Files of other names stay. The study is removed last: as long as it is there, so is the
/// knowledge that the others are to be replaced.
///   next    its arms count as those of the run too, where study.toml cannot be read
///   errors  std::filesystem::filesystem_error where a file cannot be removed
void remove_run(const std::filesystem::path& folder, const study& next);

}  // namespace sim
