// SPDX-License-Identifier: Apache-2.0
// sim/sweep/warmed_up_file.h: the policy of a study after its warm-up, kept in a folder between
// processes.
#pragma once
#include <filesystem>

#include "sim/sweep/frozen_policy.h"

namespace sim {

/// The starting weights where the study has no warm-up; else those in the folder, or those that the
/// warm-up gives, which the folder then has. A damaged file is replaced.
///   s       its checkpoint and problems loaded
///   errors  input_error where the warm-up diverges
[[nodiscard]] shared_weights warmed_up(const study& s, const std::filesystem::path& folder);

}  // namespace sim
