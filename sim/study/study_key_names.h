// SPDX-License-Identifier: Apache-2.0
// sim/study/study_key_names.h: the keys of study files by name.
#pragma once
#include <string>
#include <vector>

namespace sim {

/// Every key but those of formats and arms, with dots: "seed", "policy.width".
[[nodiscard]] std::vector<std::string> study_key_names();

}  // namespace sim
