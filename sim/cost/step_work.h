// SPDX-License-Identifier: Apache-2.0
// sim/cost/step_work.h: the work of a GRPO step by kind. Its time is a sum over the kinds: how much
// of each there is, from the shape alone, times what the machine needs for one.
#pragma once
#include <array>
#include <cstddef>

#include "sim/cost/sized_policy.h"

namespace sim {

///   rollout     multiplications of rollouts
///   training    multiplications of forward, dgrad and wgrad
///   rows        numbers of tokens' rows: norms, gates, quantization, attention
///   vocabulary  draws and softmaxes, a number of the vocabulary and response token each
///   head        additions of the sequences' gradients of the embedding
///   weights     numbers that are quantized and packed
///   state       parameters that are updated and hashed
enum class work : std::uint8_t { rollout, training, rows, vocabulary, head, weights, state };
inline constexpr std::size_t work_kinds = 7;

struct step_work {
  std::array<double, work_kinds> of{};

  [[nodiscard]] double& at(work w) noexcept { return of[static_cast<std::size_t>(w)]; }
  [[nodiscard]] double at(work w) const noexcept { return of[static_cast<std::size_t>(w)]; }
};

/// Whether ranks share a kind of work, each with its sequences; else each of them does all of it.
[[nodiscard]] constexpr bool is_shared(work w) noexcept {
  return w != work::weights && w != work::state;
}

/// The work of one step of a study with another policy; responses count with their longest length.
[[nodiscard]] step_work work_of(const study& s, const sized_policy& p);

}  // namespace sim
