// SPDX-License-Identifier: Apache-2.0
// sim/train/mismatch_figures.cpp: see mismatch_figures.h.
#include "sim/train/mismatch_figures.h"

#include <cmath>

#include "sim/policy/element_functions.h"
#include "sim/policy/row_functions.h"
#include "sim/train/grpo.h"
#include "sim/train/range_figures.h"

namespace sim {
namespace {

class mismatch_sums {
 public:
  mismatch_sums(float cap, int vocabulary)
      : vocabulary_(vocabulary), cap_(cap), probability_(static_cast<std::size_t>(vocabulary_)) {}

  void take(float log_train, float log_rollout) {
    const float ratio = importance_ratio(log_train, log_rollout);
    const double r = double{ratio}, log_r = double{log_train} - double{log_rollout};
    ratio_.take(r);
    difference_.take(std::abs(log_r));
    squares_ += r * r;
    above_cap_ += ratio > cap_ ? 1 : 0;
    k1_ -= log_r;
    k3_ += r - 1 - log_r;
  }
  /// The distributions of a token, as logarithms.
  void take(const float* train, const float* rollout) {
    exponential(vocabulary_, rollout, probability_.data());
    kl_ += double{relative_entropy(vocabulary_, probability_.data(), rollout, train)};
  }
  [[nodiscard]] std::vector<figure> figures() const {
    const double n = ratio_.count;
    return {{"sampling/importance_sampling_ratio/min", ratio_.least},
            {"sampling/importance_sampling_ratio/mean", ratio_.mean()},
            {"sampling/importance_sampling_ratio/max", ratio_.most},
            {"sampling/sampling_logp_difference/mean", difference_.mean()},
            {"sampling/sampling_logp_difference/max", difference_.most},
            {"rollout_corr/rollout_is_ratio_fraction_high", above_cap_ / n},
            {"rollout_corr/rollout_is_eff_sample_size", ratio_.sum * ratio_.sum / (n * squares_)},
            {"rollout_corr/kl", k1_ / n},
            {"rollout_corr/k3_kl", k3_ / n},
            {"rollout_corr/exact_kl", kl_ / n}};
  }

 private:
  int vocabulary_;
  float cap_;
  std::vector<float> probability_;
  range_figures ratio_, difference_;
  double squares_ = 0, k1_ = 0, k3_ = 0, kl_ = 0;
  int above_cap_ = 0;
};

}  // namespace

std::vector<figure> mismatch_figures(float cap, int vocabulary,
                                     const std::vector<rollout>& rollouts,
                                     const scored_batch& trained) {
  mismatch_sums sums(cap, vocabulary);
  const auto width = static_cast<std::size_t>(vocabulary);
  auto outcome = trained.outcomes.begin();
  const float* train = trained.log_distributions.data();
  for (const rollout& r : rollouts) {
    for (std::size_t t = 0; t < r.log_probability.size(); ++t, train += width) {
      sums.take((outcome++)->log_probability, r.log_probability[t]);
      sums.take(train, r.log_distributions.data() + t * width);
    }
  }
  return sums.figures();
}

}  // namespace sim
