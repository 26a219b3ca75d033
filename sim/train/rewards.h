// SPDX-License-Identifier: Apache-2.0
// sim/train/rewards.h: the reward of a response: its score, and the penalty of its length.
// Source of the penalty: arXiv 2503.14476 (DAPO), soft overlong punishment.
#pragma once
#include "sim/train/trainer.h"

namespace sim {

/// 0 up to limit - cache tokens, from there linearly to -1 at the limit. 0 without a cache.
///   length  tokens of the response, at most the limit
[[nodiscard]] float overlong_penalty(int length, int limit, int cache);

/// The score of the response to its prompt, and the penalty of its length.
[[nodiscard]] float reward_of(const setting& s, const sequence& response);

}  // namespace sim
