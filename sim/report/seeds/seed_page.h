// SPDX-License-Identifier: Apache-2.0
// sim/report/seeds/seed_page.h: the self-contained page of a study under several seeds.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "sim/claims/claims_table.h"
#include "sim/report/seeds/seed_runs.h"

namespace sim {

/// The page of seeds, with a first section where claims were decided over them.
///   claims   of claims_section; empty without claims
///   origin   of the page
[[nodiscard]] std::string page_of(const seed_runs& seeds, const std::string& title,
                                  const std::string& claims, const table_origin& origin);

}  // namespace sim
