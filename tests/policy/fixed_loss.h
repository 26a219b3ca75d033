// SPDX-License-Identifier: Apache-2.0
// tests/policy/fixed_loss.h: a loss whose weights do not depend on outcomes, sum weight * -log p:
// by the slow decoder, its gradient by the fast one, and its slope by both.
#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "slow_decoder.h"
#include "tiny_policy.h"

namespace test {

inline double fixed_weight(int sequence, int position) {
  return 0.25 * (sequence % 3 - 1) + 0.125 * (position % 4) + 0.0625;
}

inline double slow_loss(const sim::parameter_table& table, const doubles& weights,
                        const std::vector<sim::sequence>& batch) {
  double loss = 0;
  for (int i = 0; i < static_cast<int>(batch.size()); ++i) {
    const sim::sequence& s = batch[static_cast<std::size_t>(i)];
    const auto log_p = slow_decoder(table, weights).log_distributions(s.tokens);
    for (int t = 0; t < s.response(); ++t) {
      const auto next = static_cast<std::size_t>(s.prompt + t);
      loss -= fixed_weight(i, t) * log_p[next - 1][s.tokens[next]];
    }
  }
  return loss;
}

inline std::vector<float> fixed_gradient(const tiny_policy& policy,
                                         const std::vector<sim::sequence>& batch) {
  const auto forward = sim::prepare_forward(policy.table, policy.weights, {});
  const auto backward = sim::prepare_backward(policy.table, policy.weights, {});
  sim::batch_pass pass(policy.table, policy.rope, 2);
  pass.take(batch);
  pass.forward(forward, {});
  return pass.gradient(forward, backward, {}, [](int s, int position, const sim::token_outcome&) {
    return static_cast<float>(fixed_weight(s, position));
  });
}

/// The slope of the loss along a direction: by a difference of losses, and as the gradient
/// predicts.
struct slopes {
  double measured, predicted;
  [[nodiscard]] double error() const {
    return std::fabs(measured - predicted) / std::max(1.0, std::fabs(measured));
  }
};

///   draw   the next number of the direction
template <class Draw>
slopes slopes_along(const tiny_policy& policy, const std::vector<sim::sequence>& batch,
                    const std::vector<float>& gradient, Draw draw) {
  doubles above = widened(policy.weights), below = above;
  double predicted = 0;
  constexpr double h = 1e-6;
  for (std::size_t i = 0; i < above.size(); ++i) {
    const double direction = draw();
    above[i] += h * direction;
    below[i] -= h * direction;
    predicted += double{gradient[i]} * direction;
  }
  const double rise = slow_loss(policy.table, above, batch) - slow_loss(policy.table, below, batch);
  return {rise / (2 * h), predicted};
}

}  // namespace test
