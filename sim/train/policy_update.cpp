// SPDX-License-Identifier: Apache-2.0
// sim/train/policy_update.cpp: see policy_update.h.
#include "sim/train/policy_update.h"

#include "sim/train/grpo.h"
#include "sim/train/mismatch_figures.h"
#include "sim/train/range_figures.h"

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

class batch_updates {
 public:
  batch_updates(const setting& s, const arm& a, const step_arithmetic& formats,
                const rollout_step& batch, gradient_computer& gradient, training_state& state)
      : setting_(s),
        constants_(s.constants.grpo),
        arm_(a),
        formats_(formats),
        rollouts_(batch.rollouts),
        gradient_(gradient),
        state_(state),
        cap_(importance_cap_of(a, constants_)),
        advantage_(advantages(batch.rewards, constants_.samples, constants_.advantage_epsilon)) {
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
    return old_.outcomes[static_cast<std::size_t>(first_token_[static_cast<std::size_t>(i)] + t)]
        .log_probability;
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
    const float share = token_share(part);
    const forward_weights forward =
        prepare_forward(setting_.table, state_.weights, formats_.of(pass::forward));
    const backward_weights backward = prepare_backward(setting_.table, state_.weights, formats_);
    std::vector<float> g = gradient_(
        formats_, forward, backward, part,
        [&](int i, int t, const token_outcome& outcome) {
          const float old = old_log_probability(i, t, outcome);
          const float ratio = policy_ratio(outcome.log_probability, old);
          return share * (correction(i, t, old) * clipped_slope(ratio, advantage(i), constants_));
        },
        first);
    take_outcomes(part, first);
    norm_.take(double{update(
        setting_.table, {optimizer_of(arm_, constants_), constants_.adam, rate(), constants_.clip},
        std::move(g), state_.optimizer, state_.weights)});
  }

  [[nodiscard]] float rate() const {
    return ramped_rate(learning_rate_of(arm_, constants_), constants_.ramp_steps, state_.step);
  }

  void take_outcomes(std::span<const sequence> part, int first) {
    auto outcome = gradient_.scored().outcomes.begin();
    for (int i = first; i < first + static_cast<int>(part.size()); ++i) {
      for (int t = 0; t < sequences_[static_cast<std::size_t>(i)].response(); ++t, ++outcome) {
        const float old = old_log_probability(i, t, *outcome);
        const float ratio = policy_ratio(outcome->log_probability, old);
        clips_.take(clip_of(ratio, advantage(i), constants_), outcome->log_probability, old);
        loss_ -= double{correction(i, t, old)} * clipped_objective(ratio, advantage(i), constants_);
      }
    }
  }

  [[nodiscard]] std::vector<figure> figures() const {
    std::vector<figure> result{{"loss", loss_ / clips_.tokens},
                               {"grad_norm", norm_.mean()},
                               {"learning_rate", double{rate()}}};
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
    return result;
  }

  const setting& setting_;
  const grpo_constants& constants_;
  const arm& arm_;
  const step_arithmetic& formats_;
  const std::vector<rollout>& rollouts_;
  gradient_computer& gradient_;
  training_state& state_;
  float cap_;
  std::vector<float> advantage_;
  std::vector<sequence> sequences_;
  std::vector<int> first_token_;
  std::vector<float> sequence_weight_;  ///< where sequences are masked
  int masked_ = 0;
  scored_batch old_;
  bool old_is_kept_ = false;
  range_figures norm_;
  clip_sums clips_;
  double loss_ = 0;
};

}  // namespace

std::vector<figure> update_policy(const setting& s, const arm& a, const step_arithmetic& formats,
                                  const rollout_step& batch, gradient_computer& gradient,
                                  training_state& state) {
  return batch_updates(s, a, formats, batch, gradient, state).run();
}

}  // namespace sim
