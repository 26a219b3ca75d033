// SPDX-License-Identifier: Apache-2.0
// sim/report/seeds/seed_sections.h: the sections of a page over seeds, as HTML. What was not
// measured under every seed is replaced by one line that says so.
#pragma once
#include <string>

#include "sim/claims/claims_table.h"
#include "sim/report/seeds/seed_runs.h"

namespace sim {

[[nodiscard]] std::string cells_over_seeds(const seed_runs& seeds);
[[nodiscard]] std::string curves_over_seeds(const seed_runs& seeds);
[[nodiscard]] std::string frozen_over_seeds(const seed_runs& seeds);
[[nodiscard]] std::string outliers_over_seeds(const seed_runs& seeds);
[[nodiscard]] std::string mismatch_over_seeds(const seed_runs& seeds);

[[nodiscard]] std::string how_it_was_run(const seed_runs& seeds, const table_origin& origin);

}  // namespace sim
