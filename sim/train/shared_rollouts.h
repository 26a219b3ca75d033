// SPDX-License-Identifier: Apache-2.0
// sim/train/shared_rollouts.h: prompts that the ranks share.
#pragma once
#include <span>
#include <vector>

#include "sim/train/trainer.h"

namespace sim {

/// As sample_responses: each rank draws those of its share of the prompts, and all have all of
/// them.
[[nodiscard]] std::vector<rollout> shared_responses(const setting& s, const pass_products& products,
                                                    const forward_weights& prepared,
                                                    std::span<const sequence> prompts,
                                                    const sampling& how);

/// Whether each response solves its prompt, as above; the responses are not exchanged.
[[nodiscard]] std::vector<bool> shared_answers(const setting& s, const pass_products& products,
                                               const forward_weights& prepared,
                                               std::span<const sequence> prompts,
                                               const sampling& how);

}  // namespace sim
