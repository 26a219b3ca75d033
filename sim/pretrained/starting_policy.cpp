// SPDX-License-Identifier: Apache-2.0
// sim/pretrained/starting_policy.cpp: see starting_policy.h.
#include "sim/pretrained/starting_policy.h"

#include <stdexcept>

#include "sim/pretrained/model_weights.h"
#include "sim/study/sha256.h"

namespace sim {

std::string hash_of(const std::vector<float>& weights) {
  sha256 sum;
  sum.add(weights);
  return sum.hexadecimal();
}

void load_policy(study& s) {
  policy_source& source = s.policy.source;
  if (source.file.empty() || source.weights) return;
  auto weights = std::make_shared<const std::vector<float>>(
      read_weights(open_model(source.file), parameter_table(s.policy)));
  const std::string hash = hash_of(*weights);
  if (!source.sha256.empty() && source.sha256 != hash) {
    throw checkpoint_error("{}: has other parameters than the study: policy.sha256 is {}, and its own {}",
                           source.file, source.sha256, hash);
  }
  source.sha256 = hash;
  source.weights = std::move(weights);
}

std::vector<float> starting_weights(const parameter_table& table, std::uint64_t seed) {
  const policy_source& source = table.shape().source;
  if (source.weights) return *source.weights;
  if (!source.file.empty()) throw std::invalid_argument("the checkpoint is not loaded");
  return initial_weights(table, seed);
}

}  // namespace sim
