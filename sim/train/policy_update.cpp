// SPDX-License-Identifier: Apache-2.0
// sim/train/policy_update.cpp: see policy_update.h.
#include "sim/train/policy_update.h"

#include "sim/train/grpo.h"
#include "sim/train/kl_term.h"
#include "sim/train/loss_aggregation.h"
#include "sim/train/mismatch_figures.h"
#include "sim/train/range_figures.h"
#include "sim/train/rate_schedule.h"

namespace sim {
namespace {

/// Shares of tokens at each limit of the ratio, and the distance from the old policy.
struct clip_sums {
  int tokens = 0, low = 0, high = 0, dual = 0;
  double kl = 0;

  void take(ratio_clip clip, float log_p, float old_log_p) {
    ++tokens;
    low += clip == ratio_clip::low ? 1 : 0;
    high += clip == ratio_clip::high ? 1 : 0;
    dual += clip == ratio_clip::dual ? 1 : 0;
    kl += double{old_log_p} - double{log_p};
  }
  [[nodiscard]] std::vector<figure> figures() const {
    const double n = tokens;
    return {{"clip_ratio/low_mean", low / n},
            {"clip_ratio/high_mean", high / n},
            {"clip_ratio/region_mean", (low + high) / n},
            {"actor/pg_clipfrac_lower", dual / n},
            {"actor/ppo_kl", kl / n}};
  }
};

/// Estimates of the KL to the reference policy: mean over tokens, and as aggregated in the loss.
struct kl_sums {
  aggregated_value loss;
  range_figures estimate, exact;

  void take(double estimated, double over_vocabulary) {
    loss.take(estimated);
    estimate.take(estimated);
    exact.take(over_vocabulary);
  }
  [[nodiscard]] std::vector<figure> figures() const {
    return {{"kl", estimate.mean()}, {"exact_kl", exact.mean()}, {"actor/kl_loss", loss.value()}};
  }
};

class batch_updates {
 public:
  batch_updates(const setting& s, const arm& a, const step_arithmetic& formats,
                const rollout_step& batch, gradient_computer& gradient, training_state& state,
                const update_check& check)
      : setting_(s),
        constants_(s.constants.grpo),
        arm_(a),
        formats_(formats),
        batch_(batch),
        rollouts_(batch.rollouts),
        gradient_(gradient),
        state_(state),
        check_(check),
        cap_(importance_cap_of(a, constants_)),
        limit_(response_limit(s.constants.task)),
        advantage_(advantages(batch.rewards, constants_)),
        loss_(constants_.aggregation, limit_),
        kl_sums_{{constants_.aggregation, limit_}, {}, {}} {
    int tokens = 0;
    for (const rollout& r : rollouts_) {
      sequences_.push_back(r.tokens);
      first_token_.push_back(tokens);
      tokens += r.tokens.response();
    }
  }

  std::vector<figure> run() {
    if (constants_.minibatches > 1 || masks_sequences()) score_before_updates();
    if (masks_sequences()) weigh_sequences();
    kl_ = kl_term_of(setting_, state_, sequences_, gradient_);
    const int size = static_cast<int>(sequences_.size()) / constants_.minibatches;
    for (int i = 0; i < constants_.minibatches; ++i) update_with(i * size, size);
    return figures();
  }

 private:
  void score_before_updates() {
    const pass_products products = formats_.of(pass::forward);
    old_ = gradient_.score(products, prepare_forward(setting_.table, state_.weights, products),
                           sequences_);
    old_is_kept_ = true;
  }

  [[nodiscard]] bool masks_sequences() const { return arm_.correction == mismatch::sequence_mask; }

  void weigh_sequences() {
    auto outcome = old_.outcomes.begin();
    for (const rollout& r : rollouts_) {
      double log_ratio = 0;
      for (const float log_p : r.log_probability) {
        log_ratio += double{(outcome++)->log_probability} - double{log_p};
      }
      sequence_weight_.push_back(masked_sequence_weight(log_ratio, cap_));
      masked_ += log_ratio > 0 && sequence_weight_.back() == 0 ? 1 : 0;  // not by underflow
    }
  }

  /// Of the policy before the first update, which is the present one where there is only one.
  [[nodiscard]] float old_log_probability(int i, int t, const token_outcome& present) const {
    if (!old_is_kept_) return present.log_probability;
    return old_.outcomes[token(i, t)].log_probability;
  }

  /// Index of a response token in the batch.
  [[nodiscard]] std::size_t token(int i, int t) const {
    return static_cast<std::size_t>(first_token_[static_cast<std::size_t>(i)] + t);
  }

  [[nodiscard]] float correction(int i, int t, float old_log_p) const {
    if (arm_.correction == mismatch::none) return 1.0F;
    if (masks_sequences()) return sequence_weight_[static_cast<std::size_t>(i)];
    const rollout& r = rollouts_[static_cast<std::size_t>(i)];
    return importance_weight(old_log_p, r.log_probability[static_cast<std::size_t>(t)], cap_);
  }

  [[nodiscard]] float advantage(int i) const { return advantage_[static_cast<std::size_t>(i)]; }

  void update_with(int first, int count) {
    const std::span<const sequence> part =
        std::span<const sequence>(sequences_)
            .subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
    const std::vector<float> shares = token_shares(part, constants_.aggregation, limit_);
    const auto share = [&](int i) { return shares[static_cast<std::size_t>(i - first)]; };
    const forward_weights forward =
        prepare_forward(setting_.table, state_.weights, formats_.of(pass::forward));
    const backward_weights backward = prepare_backward(setting_.table, state_.weights, formats_);
    std::vector<float> g = gradient_(
        formats_, forward, backward, part,
        [&](int i, int t, const token_outcome& outcome) { return share(i) * slope(i, t, outcome); },
        first, exact_kl_gradient(share));
    take_outcomes(part, first);
    norm_.take(
        double{update(setting_.table, rule(), std::move(g), state_.optimizer, state_.weights, [&] {
          if (check_) check_(batch_, loss_.value());
        })});
  }

  /// Of a token's objective, by its log p.
  [[nodiscard]] float slope(int i, int t, const token_outcome& outcome) const {
    const float old = old_log_probability(i, t, outcome);
    const float ratio = policy_ratio(outcome.log_probability, old);
    const float of_policy = correction(i, t, old) * clipped_slope(ratio, advantage(i), constants_);
    return kl_.is_on() ? of_policy - kl_.slope(token(i, t), outcome) : of_policy;
  }

  /// What the slopes of tokens do not express; nothing without an exact KL.
  template <class Share>
  [[nodiscard]] logit_gradient exact_kl_gradient(const Share& share) const {
    if (!kl_.is_exact()) return {};
    return [this, &share](int i, int t, const token_distribution& present, float* dlogits) {
      kl_.add_gradient(token(i, t), share(i), present, dlogits);
    };
  }

  [[nodiscard]] update_rule rule() const {
    return {optimizer_of(arm_, constants_),    constants_.adam,   rate(), constants_.clip,
            weight_decay_of(arm_, constants_), constants_.decayed};
  }

  [[nodiscard]] float rate() const { return learning_rate_at(arm_, constants_, state_.step); }

  void take_outcomes(std::span<const sequence> part, int first) {
    auto outcome = gradient_.scored().outcomes.begin();
    const float* log_p = gradient_.scored().log_distributions.data();
    for (int i = first; i < first + static_cast<int>(part.size()); ++i) {
      const int tokens = sequences_[static_cast<std::size_t>(i)].response();
      loss_.begin(tokens);
      kl_sums_.loss.begin(tokens);
      for (int t = 0; t < tokens; ++t, log_p += setting_.table.shape().vocabulary) {
        take_token(i, t, *outcome++, log_p);
      }
    }
  }

  void take_token(int i, int t, const token_outcome& outcome, const float* log_distribution) {
    const float old = old_log_probability(i, t, outcome);
    const float ratio = policy_ratio(outcome.log_probability, old);
    clips_.take(clip_of(ratio, advantage(i), constants_), outcome.log_probability, old);
    double loss =
        -(double{correction(i, t, old)} * clipped_objective(ratio, advantage(i), constants_));
    if (kl_.is_on()) {
      const double kl = kl_.estimate(token(i, t), outcome, log_distribution);
      kl_sums_.take(kl, kl_.exact(token(i, t), log_distribution));
      loss += kl_.coefficient() * kl;
    }
    loss_.take(loss);
  }

  [[nodiscard]] std::vector<figure> figures() const {
    std::vector<figure> result{
        {"loss", loss_.value()}, {"grad_norm", norm_.mean()}, {"learning_rate", double{rate()}}};
    const auto append = [&](const std::vector<figure>& more) {
      result.insert(result.end(), more.begin(), more.end());
    };
    append(mismatch_figures(cap_, setting_.table.shape().vocabulary, rollouts_,
                            old_is_kept_ ? old_ : gradient_.scored()));
    if (masks_sequences()) {
      append({{"rollout_corr/rollout_rs_seq_masked_fraction",
               masked_ / static_cast<double>(sequence_weight_.size())}});
    }
    if (constants_.minibatches > 1) append(clips_.figures());
    if (kl_.is_on()) append(kl_sums_.figures());
    return result;
  }

  const setting& setting_;
  const grpo_constants& constants_;
  const arm& arm_;
  const step_arithmetic& formats_;
  const rollout_step& batch_;
  const std::vector<rollout>& rollouts_;
  gradient_computer& gradient_;
  training_state& state_;
  const update_check& check_;
  float cap_;
  int limit_;
  std::vector<float> advantage_;
  std::vector<sequence> sequences_;
  std::vector<int> first_token_;
  std::vector<float> sequence_weight_;  ///< where sequences are masked
  int masked_ = 0;
  scored_batch old_;
  bool old_is_kept_ = false;
  range_figures norm_;
  clip_sums clips_;
  aggregated_value loss_;
  kl_term kl_;
  kl_sums kl_sums_;
};

}  // namespace

std::vector<figure> update_policy(const setting& s, const arm& a, const step_arithmetic& formats,
                                  const rollout_step& batch, gradient_computer& gradient,
                                  training_state& state, const update_check& check) {
  return batch_updates(s, a, formats, batch, gradient, state, check).run();
}

}  // namespace sim
