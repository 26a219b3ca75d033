// SPDX-License-Identifier: Apache-2.0
// sim/train/rewards.cpp: see rewards.h.
#include "sim/train/rewards.h"

namespace sim {

float overlong_penalty(int length, int limit, int cache) {
  const int beyond = length - (limit - cache);
  if (cache == 0 || beyond <= 0) return 0;
  return -(static_cast<float>(beyond) / static_cast<float>(cache));
}

float reward_of(const setting& s, const sequence& response) {
  const auto score = static_cast<float>(s.task->score(response));
  return score + overlong_penalty(response.response(), response_limit(s.constants.task),
                                    s.constants.grpo.overlong_cache);
}

}  // namespace sim
