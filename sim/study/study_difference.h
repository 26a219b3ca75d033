// SPDX-License-Identifier: Apache-2.0
// sim/study/study_difference.h: the keys in which two studies differ.
#pragma once
#include <string>
#include <vector>

#include "sim/study/study.h"

namespace sim {

/// One text a key: "grpo.steps is 40 there and 20 here", "there is no arm 'mbs' here", in the order
/// of the study file. Keys of [run] change no result and are left out, as in study_hash; a format
/// shows as the passes of arms that use it.
[[nodiscard]] std::vector<std::string> differences(const study& there, const study& here);

}  // namespace sim
