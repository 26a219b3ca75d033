// SPDX-License-Identifier: Apache-2.0
// sim/ranks/agreement_of_ranks.h: what all ranks of a group know alike. All ranks call each
// function, in the same order.
#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "sim/ranks/rank_group.h"

namespace sim {

/// The text that `work` returns on rank 0, where alone it runs.
///   errors  what it throws there; on other ranks rank_error with the same message
[[nodiscard]] std::string from_rank_0(const rank_group& ranks,
                                      const std::function<std::string()>& work);

/// Runs `work` on rank 0 alone; no rank goes on before it is done.
///   errors  as above
void on_rank_0(const rank_group& ranks, const std::function<void()>& work);

/// Whether any rank says so.
[[nodiscard]] bool any_rank(const rank_group& ranks, bool here);

/// Refuses ranks with different values of one thing.
///   errors  rank_error with both values
void expect_equal(const rank_group& ranks, std::string_view thing, std::string_view value,
                  std::string_view remedy);

}  // namespace sim
