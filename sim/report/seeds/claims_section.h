// SPDX-License-Identifier: Apache-2.0
// sim/report/seeds/claims_section.h: decided claims with their intervals, as HTML.
#pragma once
#include <string>
#include <vector>

#include "sim/claims/decision.h"

namespace sim {

/// A card for every claim: its verdict, what it says, and each contrast beside what it is compared
/// with; where nothing is decided, the smallest effect that the seeds would have shown.
[[nodiscard]] std::string claims_section(const claims_plan& plan,
                                         const std::vector<claim_result>& results);

}  // namespace sim
