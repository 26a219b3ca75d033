// SPDX-License-Identifier: Apache-2.0
// sim/sweep/sweep_page.h: the page of a sweep.
#pragma once
#include <string>

#include "sim/sweep/sweep_table.h"

namespace sim {

/// A self-contained page: fronts, heat maps, the table of results, and what was left out.
///   source  the study's file
[[nodiscard]] std::string page_of(const sweep_results& r, const std::string& source);

}  // namespace sim
