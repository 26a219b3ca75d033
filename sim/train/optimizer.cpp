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

}  // namespace

float gradient_norm(const parameter_table& table, const std::vector<float>& gradient) {
  double sum = 0;
  for (const parameter& p : table.all()) {
    const float* g = gradient.data() + p.offset;
    sum += inner_product(g, g, p.count());
  }
  return static_cast<float>(std::sqrt(sum));
}

float update(const parameter_table& table, const adam_constants& constants, float learning_rate,
             float clip, std::vector<float> gradient, adam_state& state,
             std::vector<float>& weights) {
  const float norm = gradient_norm(table, gradient);
  expect_finite(table, gradient, norm);
  if (norm > clip) scale(table.count(), clip / norm, gradient.data());
  state.m.resize(weights.size());
  state.v.resize(weights.size());
  ++state.step;
  adam({constants.beta1, constants.beta2, constants.epsilon, learning_rate,
        bias_correction(constants.beta1, state.step), bias_correction(constants.beta2, state.step)},
       table.count(), gradient.data(), state.m.data(), state.v.data(), weights.data());
  expect_finite(table, state, weights);
  return norm;
}

float ramped_rate(float rate, int ramp_steps, int step) {
  if (step >= ramp_steps) return rate;
  return rate * (static_cast<float>(step + 1) / static_cast<float>(ramp_steps));
}

}  // namespace sim
