// SPDX-License-Identifier: Apache-2.0
// sim/cost/rank_cost.h: a training step on several ranks. A batch has at most 16 groups of
// sequences, which the ranks share; each rank holds the whole state, prepares all weights and makes
// the whole update.
#pragma once
#include <string>

#include "sim/cost/step_cost.h"

namespace sim {

inline constexpr int most_ranks = 16;

///   threads, speed_up  of a rank, over one thread
///   network            bytes that a rank receives a second
struct rank_machine {
  work_rates rates;
  int threads;
  double speed_up;
  double network;
};

struct rank_cost {
  std::string policy;
  double parameters = 0;
  int ranks = 1;
  double bytes = 0, seconds = 0;  ///< of a rank; of a step
};

/// The cost of the busiest rank.
[[nodiscard]] rank_cost cost_of(const study& s, const arm& a, const sized_policy& p,
                                const rank_machine& machine, int ranks);

}  // namespace sim
