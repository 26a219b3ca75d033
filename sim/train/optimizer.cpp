// SPDX-License-Identifier: Apache-2.0
// sim/train/optimizer.cpp: uses only + - * / and square roots, in a fixed order.
#include "sim/train/optimizer.h"

#include <cmath>

#include "sim/policy/row_functions.h"
#include "sim/train/divergence.h"

namespace sim {
namespace {

/// 1 - beta^step, by repeated multiplication.
float bias_correction(float beta, int step) {
  double power = 1;
  for (int i = 0; i < step; ++i) power *= double{beta};
  return static_cast<float>(1 - power);
}

void adam_update(const parameter_table& table, const update_rule& rule,
                 const std::vector<float>& gradient, adam_state& state,
                 std::vector<float>& weights) {
  const adam_constants& c = rule.adam;
  state.m.resize(weights.size());
  state.v.resize(weights.size());
  adam({c.beta1, c.beta2, c.epsilon, rule.learning_rate, bias_correction(c.beta1, state.step),
        bias_correction(c.beta2, state.step)},
       table.count(), gradient.data(), state.m.data(), state.v.data(), weights.data());
}

void sgd_update(float rate, const std::vector<float>& gradient, std::vector<float>& weights) {
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] -= rate * gradient[i];
}

/// Decoupled: the gradient and its moments do not see it.
void decay(const parameter_table& table, const update_rule& rule, std::vector<float>& weights) {
  const float kept = 1.0F - rule.learning_rate * rule.weight_decay;
  for (const parameter& p : table.all()) {
    const bool is_norm = p.rows == 1;
    if (is_norm && rule.decayed == decayed_parameters::matrices) continue;
    scale(p.count(), kept, weights.data() + p.offset);
  }
}

}  // namespace

float gradient_norm(const parameter_table& table, const std::vector<float>& gradient) {
  double sum = 0;
  for (const parameter& p : table.all()) {
    const float* g = gradient.data() + p.offset;
    sum += inner_product(g, g, p.count());
  }
  return static_cast<float>(std::sqrt(sum));
}

float update(const parameter_table& table, const update_rule& rule, std::vector<float> gradient,
             adam_state& state, std::vector<float>& weights) {
  const float norm = gradient_norm(table, gradient);
  expect_finite(table, gradient, norm);
  if (norm > rule.clip) scale(table.count(), rule.clip / norm, gradient.data());
  ++state.step;
  if (rule.kind == optimizer_kind::sgd) {
    sgd_update(rule.learning_rate, gradient, weights);
  } else {
    if (rule.kind == optimizer_kind::adamw) decay(table, rule, weights);
    adam_update(table, rule, gradient, state, weights);
  }
  expect_finite(table, state, weights);
  return norm;
}

float ramped_rate(float rate, int ramp_steps, int step) {
  if (step >= ramp_steps) return rate;
  return rate * (static_cast<float>(step + 1) / static_cast<float>(ramp_steps));
}

}  // namespace sim
