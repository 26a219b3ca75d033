// SPDX-License-Identifier: Apache-2.0
// sim/train/step_hash.cpp: the hash of a training step.
#include "sim/train/sha256.h"
#include "sim/train/trainer.h"

namespace sim {

std::string step_hash(const training_state& state, const rollout_step& step) {
  sha256 hash;
  hash.add(state.weights);
  hash.add(state.optimizer.m);
  hash.add(state.optimizer.v);
  for (const rollout& r : step.rollouts) hash.add(r.tokens.tokens);
  hash.add(step.rewards);
  return hash.hexadecimal();
}

}  // namespace sim
