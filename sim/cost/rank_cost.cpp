// SPDX-License-Identifier: Apache-2.0
// sim/cost/rank_cost.cpp: see rank_cost.h.
#include "sim/cost/rank_cost.h"

#include <algorithm>
#include <bit>

#include "sim/train/available_memory.h"

namespace sim {
namespace {

int quotient_up(int a, int b) { return (a + b - 1) / b; }

/// Sequences of the rank that has most.
int sequences_of_rank(int sequences, int ranks) {
  const int in_group =
      static_cast<int>(std::bit_ceil(static_cast<unsigned>(quotient_up(sequences, most_ranks))));
  return std::min(sequences, in_group * quotient_up(quotient_up(sequences, in_group), ranks));
}

}  // namespace

rank_cost cost_of(const study& s, const arm& a, const sized_policy& p, const rank_machine& machine,
                  int ranks) {
  study own = s;
  own.policy = p.shape;
  const int sequences = s.grpo.prompts * s.grpo.samples;
  const int most = sequences_of_rank(sequences, ranks);
  const double share = double(most) / sequences;
  step_work work = work_of(own, p);
  for (std::size_t i = 0; i < work_kinds; ++i) {
    if (is_shared(static_cast<sim::work>(i))) work.of[i] *= share;
  }
  const double parameters = p.parameters(), vector = parameters * sizeof(float);
  rank_cost result{p.name, parameters, ranks, 0, 0};
  result.seconds = machine.rates.seconds(work) / machine.speed_up;
  // Every rank receives the sums of all.
  if (ranks > 1) result.seconds += ranks * vector / machine.network;
  own.grpo.prompts = quotient_up(most, s.grpo.samples);  // whole ones, or memory would be too low
  // The weights that training started from; on several ranks, a rank's own sum beside that of all.
  result.bytes =
      resident_memory() + step_peak(own, a, machine.threads).bytes() + vector * (ranks > 1 ? 2 : 1);
  return result;
}

}  // namespace sim
