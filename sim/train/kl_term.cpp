// SPDX-License-Identifier: Apache-2.0
// sim/train/kl_term.cpp: see kl_term.h.
#include "sim/train/kl_term.h"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "sim/policy/element_functions.h"
#include "sim/policy/row_functions.h"

namespace sim {

float reference_log_ratio(float log_probability, float reference_log_probability) {
  return std::clamp(reference_log_probability - log_probability, -20.0F, 20.0F);
}

double kl_estimate(kl_estimator e, float log_ratio) {
  const double l = double{log_ratio};
  switch (e) {
    case kl_estimator::k1:
      return -l;
    case kl_estimator::k2:
      return l * l / 2;
    default:
      return double{exponential(log_ratio)} - 1 - l;
  }
}

float kl_slope(kl_estimator e, float log_ratio) {
  switch (e) {
    case kl_estimator::k1:
      return 1.0F;
    case kl_estimator::k2:
      return -log_ratio;
    default:
      return 1.0F - exponential(log_ratio);
  }
}

kl_term::kl_term(const grpo_constants& constants, int vocabulary, scored_batch reference)
    : coefficient_(constants.kl_coefficient),
      estimator_(constants.kl_estimator),
      vocabulary_(vocabulary),
      reference_(std::move(reference)) {}

float kl_term::slope(std::size_t token, const token_outcome& present) const {
  if (is_exact()) return 0;
  return coefficient_ * kl_slope(estimator_, log_ratio(token, present));
}

void kl_term::add_gradient(std::size_t token, float share, const token_distribution& present,
                           float* dlogits) const {
  const float *p = present.probability, *log_p = present.log_probability,
              *log_q = reference_of(token);
  const float kl = relative_entropy(vocabulary_, p, log_p, log_q), factor = share * coefficient_;
  for (int v = 0; v < vocabulary_; ++v) {
    dlogits[v] += factor * (p[v] * ((log_p[v] - log_q[v]) - kl));
  }
}

double kl_term::estimate(std::size_t token, const token_outcome& present,
                         const float* log_distribution) const {
  if (is_exact()) return exact(token, log_distribution);
  return kl_estimate(estimator_, log_ratio(token, present));
}

double kl_term::exact(std::size_t token, const float* log_distribution) const {
  std::vector<float> p(static_cast<std::size_t>(vocabulary_));
  exponential(vocabulary_, log_distribution, p.data());
  return double{relative_entropy(vocabulary_, p.data(), log_distribution, reference_of(token))};
}

kl_term kl_term_of(const setting& s, const training_state& state, std::span<const sequence> batch,
                   gradient_computer& gradient) {
  if (s.constants.grpo.kl_coefficient == 0) return {};
  if (state.reference == nullptr) {
    throw std::invalid_argument("a KL term needs the weights of its reference policy");
  }
  const step_arithmetic fp32 = s.at_step({}, stream::training_operands, state.step);
  const pass_products products = fp32.of(pass::forward);
  return {s.constants.grpo, s.table.shape().vocabulary,
          gradient.score(products, prepare_forward(s.table, *state.reference, products), batch)};
}

}  // namespace sim
