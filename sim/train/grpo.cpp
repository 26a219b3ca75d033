// SPDX-License-Identifier: Apache-2.0
// sim/train/grpo.cpp: see grpo.h.
#include "sim/train/grpo.h"

#include <algorithm>
#include <cmath>

#include "sim/policy/element_functions.h"

namespace sim {
namespace {

struct reward_moments {
  double sum, mean, deviation;
};

reward_moments reward_moments_of(std::span<const float> values) {
  double sum = 0, squares = 0;
  for (const float v : values) sum += double{v};
  const double mean = sum / static_cast<double>(values.size());
  for (const float v : values) squares += (double{v} - mean) * (double{v} - mean);
  return {sum, mean, std::sqrt(squares / static_cast<double>(values.size() - 1))};
}

/// One value a reward, group by group: of(moments of its group, reward).
template <class Of>
std::vector<float> of_groups(std::span<const float> rewards, int samples, const Of& of) {
  std::vector<float> result;
  for (std::size_t first = 0; first < rewards.size(); first += static_cast<std::size_t>(samples)) {
    const auto group = rewards.subspan(first, static_cast<std::size_t>(samples));
    const reward_moments m = reward_moments_of(group);
    for (const float r : group) result.push_back(static_cast<float>(of(m, double{r})));
  }
  return result;
}

}  // namespace

std::vector<float> advantages(std::span<const float> rewards, int samples, float epsilon) {
  return of_groups(rewards, samples, [&](const reward_moments& m, double r) {
    return (r - m.mean) / (m.deviation + double{epsilon});
  });
}

std::vector<float> advantages(std::span<const float> rewards, const grpo_constants& constants) {
  switch (constants.advantage) {
    case advantage_estimator::group_std:
      return advantages(rewards, constants.samples, constants.advantage_epsilon);
    case advantage_estimator::group_mean:
      return of_groups(rewards, constants.samples,
                       [](const reward_moments& m, double r) { return r - m.mean; });
    case advantage_estimator::leave_one_out:
      break;
  }
  return of_groups(rewards, constants.samples, [&](const reward_moments& m, double r) {
    return r - (m.sum - r) / (constants.samples - 1);
  });
}

ratio_clip clip_of(float ratio, float advantage, const grpo_constants& constants) {
  if (advantage > 0 && ratio > 1.0F + constants.ratio_high) return ratio_clip::high;
  if (advantage < 0 && ratio < 1.0F - constants.ratio_low) return ratio_clip::low;
  if (advantage < 0 && ratio > constants.dual_clip) return ratio_clip::dual;
  return ratio_clip::none;
}

double clipped_objective(float ratio, float advantage, const grpo_constants& constants) {
  switch (clip_of(ratio, advantage, constants)) {
    case ratio_clip::low:
      return double{1.0F - constants.ratio_low} * double{advantage};
    case ratio_clip::high:
      return double{1.0F + constants.ratio_high} * double{advantage};
    case ratio_clip::dual:
      return double{constants.dual_clip} * double{advantage};
    default:
      return double{ratio} * double{advantage};
  }
}

float clipped_slope(float ratio, float advantage, const grpo_constants& constants) {
  const bool clipped = clip_of(ratio, advantage, constants) != ratio_clip::none;
  return clipped ? 0 : ratio * advantage;
}

float policy_ratio(float log_probability, float old_log_probability) {
  return exponential(std::clamp(log_probability - old_log_probability, -20.0F, 20.0F));
}

float importance_ratio(float log_probability_train, float log_probability_rollout) {
  return exponential(log_probability_train - log_probability_rollout);
}

float importance_weight(float log_probability_train, float log_probability_rollout, float cap) {
  return std::min(importance_ratio(log_probability_train, log_probability_rollout), cap);
}

float masked_sequence_weight(double log_ratio, float cap) {
  const float ratio = exponential(static_cast<float>(log_ratio));
  return ratio > cap ? 0 : ratio;
}

}  // namespace sim
