// SPDX-License-Identifier: Apache-2.0
// sim/train/optimizer.cpp: uses only + - * / and square roots, in a fixed order.
#include "sim/train/optimizer.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "sim/policy/element_functions.h"
#include "sim/train/divergence.h"

namespace sim {
namespace {

/// 1 - beta^step, by repeated multiplication.
float bias_correction(float beta, int step) {
  double power = 1;
  for (int i = 0; i < step; ++i) power *= double{beta};
  return static_cast<float>(1 - power);
}

/// Numbers of the state side by side; no moments under SGD.
struct state_span {
  float *w, *m, *v;
};

/// One update by a rule, of any part of the state.
class update_by {
 public:
  ///   updates  with this one
  update_by(const update_rule& rule, int updates)
      : rule_(rule),
        adam_{rule.adam.beta1,
              rule.adam.beta2,
              rule.adam.epsilon,
              rule.learning_rate,
              bias_correction(rule.adam.beta1, updates),
              bias_correction(rule.adam.beta2, updates)} {}

  [[nodiscard]] bool has_moments() const { return rule_.kind != optimizer_kind::sgd; }
  void apply(const parameter& p, std::ptrdiff_t count, const float* g, const state_span& to) const {
    if (decays(p)) scale(count, 1.0F - rule_.learning_rate * rule_.weight_decay, to.w);
    if (has_moments()) return adam(adam_, count, g, to.m, to.v, to.w);
    for (std::ptrdiff_t i = 0; i < count; ++i) to.w[i] -= rule_.learning_rate * g[i];
  }

 private:
  /// Decoupled: the gradient and its moments do not see it.
  [[nodiscard]] bool decays(const parameter& p) const {
    const bool is_norm = p.rows == 1;
    return rule_.kind == optimizer_kind::adamw &&
           (!is_norm || rule_.decayed == decayed_parameters::all);
  }

  const update_rule& rule_;
  adam_step adam_;
};

/// What an update would give, a few numbers at a time; the state stays.
///   errors  divergence
void expect_finite_update(const parameter_table& table, const update_by& by,
                          const std::vector<float>& gradient, const adam_state& state,
                          const std::vector<float>& weights) {
  constexpr std::ptrdiff_t step = 4096;
  update_watch watch;
  for (const parameter& p : table.all()) {
    for (std::ptrdiff_t done = 0; done < p.count(); done += step) {
      std::vector<float> w(step), m(step), v(step);
      const std::ptrdiff_t at = p.offset + done, count = std::min(step, p.count() - done);
      std::copy_n(weights.data() + at, count, w.data());
      const auto copy = [&](const std::vector<float>& from, std::vector<float>& to) {
        if (!from.empty()) std::copy_n(from.data() + at, count, to.data());
      };
      copy(state.m, m);
      copy(state.v, v);
      by.apply(p, count, gradient.data() + at, {w.data(), m.data(), v.data()});
      watch.take(p, std::span(w).first(static_cast<std::size_t>(count)), updated_numbers::weights);
      if (!by.has_moments()) continue;
      watch.take(p, std::span(m).first(static_cast<std::size_t>(count)), updated_numbers::means);
      watch.take(p, std::span(v).first(static_cast<std::size_t>(count)), updated_numbers::squares);
    }
  }
  watch.expect_finite();
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
             adam_state& state, std::vector<float>& weights,
             const std::function<void()>& before_change) {
  const float norm = gradient_norm(table, gradient);
  expect_finite(table, gradient, norm);
  if (norm > rule.clip) scale(table.count(), rule.clip / norm, gradient.data());
  const update_by by(rule, state.step + 1);
  expect_finite_update(table, by, gradient, state, weights);
  if (before_change) before_change();
  if (by.has_moments()) {
    state.m.resize(weights.size());
    state.v.resize(weights.size());
  }
  for (const parameter& p : table.all()) {
    by.apply(p, p.count(), gradient.data() + p.offset,
             {weights.data() + p.offset, state.m.data() + p.offset, state.v.data() + p.offset});
  }
  ++state.step;
  return norm;
}

float ramped_rate(float rate, int ramp_steps, int step) {
  if (step >= ramp_steps) return rate;
  return rate * (static_cast<float>(step + 1) / static_cast<float>(ramp_steps));
}

}  // namespace sim
