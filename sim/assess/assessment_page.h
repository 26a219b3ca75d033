// SPDX-License-Identifier: Apache-2.0
// sim/assess/assessment_page.h: the page of an assessment.
#pragma once
#include <string>

#include "sim/assess/assessment.h"
#include "sim/report/metrics.h"

namespace sim {

/// One self-contained page.
[[nodiscard]] std::string assessment_page(const assessment_plan& plan, const metrics& figures);

}  // namespace sim
