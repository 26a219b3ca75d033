// SPDX-License-Identifier: Apache-2.0
// sim/cli/train/chosen_arms.h: the arms that --arms names.
#pragma once
#include <string>
#include <vector>

#include "sim/study/study.h"

namespace sim::cli {

/// The parts between commas that are not empty.
[[nodiscard]] std::vector<std::string> split(const std::string& list);

/// Keeps the named arms, in the study's order, and the reference.
///   errors  usage_error for a name that no arm has
void keep_arms(study& s, const std::vector<std::string>& wanted);

}  // namespace sim::cli
