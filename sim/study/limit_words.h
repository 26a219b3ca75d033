// SPDX-License-Identifier: Apache-2.0
// sim/study/limit_words.h: the limits of a key in words.
#pragma once
#include <string>

#include "sim/study/study_keys.h"

namespace sim {

/// "a multiple of 32 from 32 to 8192", "a number above 0"
[[nodiscard]] std::string wording(whole limits);
[[nodiscard]] std::string wording(const real& limits);

}  // namespace sim
