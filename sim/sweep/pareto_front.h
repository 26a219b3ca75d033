// SPDX-License-Identifier: Apache-2.0
// sim/sweep/pareto_front.h: the results that no other beats in cost and in quality at once.
#pragma once
#include <vector>

#include "sim/sweep/sweep_table.h"

namespace sim {

/// The study's page_cost of a point; NaN without gates.
[[nodiscard]] double cost_of(const sweep_study& s, const sweep_point& p);
/// The metric of a row that figures about its input show; NaN if not measured.
[[nodiscard]] double quality_of(const sweep_results& r, const measured_work& w);

/// Indices in r.work of an input's front, by rising cost: each is better than every cheaper one. Of
/// equal ones the first.
[[nodiscard]] std::vector<std::size_t> front_of(const sweep_results& r, const swept_input& in);

}  // namespace sim
