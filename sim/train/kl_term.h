// SPDX-License-Identifier: Apache-2.0
// sim/train/kl_term.h: the KL term of the loss: coefficient * KL(policy || reference), token by
// token. The reference is the policy that GRPO starts from, in FP32 arithmetic in every arm; the
// policy is the one being updated, under the arm's forward arithmetic. No importance weight and no
// mask multiplies it, as in TRL and verl. Gradients are those of the estimators as they stand,
// differentiated by log p of the token; with l = log p_reference - log p, limited to +-20 as in
// verl:
//   k1     -l           1: of expectation 0 over the policy's own tokens, so it restrains nothing
//   k2     l^2 / 2      -l: unbiased for the gradient of KL on the policy's own tokens
//   k3     e^l - 1 - l  1 - e^l: unbiased for the gradient of KL(reference || policy) there
//   exact  sum p_v (log p_v - log q_v) over the vocabulary: by logit v, p_v (log p_v - log q_v
//          - KL)
// Source: arXiv 2402.03300 (k3 in GRPO); names as in verl.
#pragma once
#include <cstddef>
#include <span>

#include "sim/train/trainer.h"

namespace sim {

/// l of a token, limited.
[[nodiscard]] float reference_log_ratio(float log_probability, float reference_log_probability);

/// k1, k2 or k3 from l.
[[nodiscard]] double kl_estimate(kl_estimator e, float log_ratio);
/// Its derivative by log p.
[[nodiscard]] float kl_slope(kl_estimator e, float log_ratio);

class kl_term {
 public:
  /// Without a term.
  kl_term() = default;
  ///   reference  the batch under the reference policy
  kl_term(const grpo_constants& constants, int vocabulary, scored_batch reference);

  [[nodiscard]] bool is_on() const noexcept { return coefficient_ > 0; }
  [[nodiscard]] bool is_exact() const noexcept {
    return is_on() && estimator_ == kl_estimator::exact;
  }
  [[nodiscard]] double coefficient() const noexcept { return double{coefficient_}; }

  /// coefficient * slope of a token; 0 under `exact`.
  ///   token  index of a response token in the batch
  [[nodiscard]] float slope(std::size_t token, const token_outcome& present) const;
  /// Adds share * coefficient * gradient of the exact KL of a token.
  void add_gradient(std::size_t token, float share, const token_distribution& present,
                    float* dlogits) const;

  /// The study's estimate of a token.
  [[nodiscard]] double estimate(std::size_t token, const token_outcome& present,
                                const float* log_distribution) const;
  /// Over the whole vocabulary, in nats.
  [[nodiscard]] double exact(std::size_t token, const float* log_distribution) const;

 private:
  [[nodiscard]] const float* reference_of(std::size_t token) const {
    return reference_.log_distributions.data() + token * static_cast<std::size_t>(vocabulary_);
  }
  [[nodiscard]] float log_ratio(std::size_t token, const token_outcome& present) const {
    return reference_log_ratio(present.log_probability, reference_.outcomes[token].log_probability);
  }

  float coefficient_ = 0;
  kl_estimator estimator_ = kl_estimator::k3;
  int vocabulary_ = 0;
  scored_batch reference_;
};

/// The term of an arm's batch at the state's step; without one where the study has none.
///   errors  std::invalid_argument where the state has no reference
[[nodiscard]] kl_term kl_term_of(const setting& s, const training_state& state,
                                 std::span<const sequence> batch, gradient_computer& gradient);

}  // namespace sim
