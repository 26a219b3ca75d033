// SPDX-License-Identifier: Apache-2.0
// sim/train/rollout_bias.cpp: batch by batch, rollouts under both arithmetics, then one gradient of
// the reference's and one a weighting of the arm's, which share the forward pass. A part's gradient
// is a sum in the order of its batches, so no bit depends on threads or micro-batches.
#include "sim/train/rollout_bias.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/policy/element_functions.h"
#include "sim/study/study_words.h"
#include "sim/train/gradient_bias.h"
#include "sim/train/grpo.h"
#include "sim/train/loss_aggregation.h"
#include "sim/train/rewards.h"

namespace sim {
namespace {

constexpr std::size_t rollout_parts = 16;
/// Of the streams of frozen batches, beyond their steps.
constexpr int first_mismatch_step = 0x400000;

/// The training arithmetic of one batch, and the weights prepared for it.
struct training_pass {
  step_arithmetic formats;
  pass_products products;
  forward_weights weights;
  backward_weights transposed;

  training_pass(const setting& s, const std::vector<float>& from, const step_arithmetic& of)
      : formats(of),
        products(of.of(pass::forward)),
        weights(prepare_forward(s.table, from, products)),
        transposed(prepare_backward(s.table, from, of)) {}
};

/// Sequences of a batch of rollouts, and the weight of their tokens but for a correction.
struct learning_batch {
  std::vector<sequence> sequences;
  std::vector<float> advantage, share;

  learning_batch(const setting& s, const std::vector<rollout>& rollouts) {
    std::vector<float> rewards;
    for (const rollout& r : rollouts) {
      sequences.push_back(r.tokens);
      rewards.push_back(reward_of(s, r.tokens));
    }
    const grpo_constants& c = s.constants.grpo;
    advantage = advantages(rewards, c);
    share = token_shares(sequences, c.aggregation, response_limit(s.constants.task));
  }
};

/// Gradients of one weighting, a vector a part.
using part_gradients = std::vector<std::vector<float>>;

/// Adds a batch's gradient to its part.
void add_to_part(part_gradients& parts, std::size_t part, std::vector<float> gradient) {
  if (parts.size() == part) return parts.push_back(std::move(gradient));
  add(static_cast<std::ptrdiff_t>(gradient.size()), gradient.data(), parts[part].data());
}

class mismatch_measurer {
 public:
  mismatch_measurer(const setting& s, const std::vector<float>& weights, const arm& a)
      : s_(s),
        weights_(weights),
        arm_(a),
        cap_(importance_cap_of(a, s.constants.grpo)),
        pass_(s.table, s.rope, micro_batch_of(s.constants), s.constants.run.kept),
        weighted_(correction_words.size()),
        agreement_(rollout_parts) {}

  cell_figures run() {
    const std::size_t batches = batches_a_part();
    for (std::size_t i = 0; i < rollout_parts * batches; ++i) {
      add_batch(first_mismatch_step + static_cast<int>(i), i / batches);
    }
    return figures();
  }

 private:
  struct agreement {
    double same = 0, all = 0;
  };

  [[nodiscard]] std::size_t batches_a_part() const {
    const study& c = s_.constants;
    const auto rollouts = static_cast<std::size_t>(c.measurement.mismatch_rollouts),
               batch = static_cast<std::size_t>(c.grpo.prompts) *
                       static_cast<std::size_t>(c.grpo.samples) * rollout_parts;
    return (rollouts + batch - 1) / batch;
  }

  void add_batch(int step, std::size_t part) {
    const training_pass training(s_, weights_,
                                 s_.at_step(arm_.formats, stream::frozen_operands, step));
    const pass_products products = training.formats.of(pass::rollout);
    const std::vector<rollout> own = sampled(training.products, training.weights, step);
    const std::vector<rollout> other =
        sampled(products, prepare_forward(s_.table, weights_, products), step);
    for (std::size_t i = 0; i < own.size(); ++i) {
      agreement_[part].same += own[i].tokens == other[i].tokens ? 1 : 0;
      ++agreement_[part].all;
    }
    add_to_part(reference_, part, gradients(training, own, {mismatch::none}).front());
    std::vector<std::vector<float>> weighted = gradients(
        training, other, {mismatch::none, mismatch::truncated_importance, mismatch::sequence_mask});
    for (std::size_t w = 0; w < weighted.size(); ++w) {
      add_to_part(weighted_[w], part, std::move(weighted[w]));
    }
  }

  [[nodiscard]] std::vector<rollout> sampled(const pass_products& products,
                                             const forward_weights& prepared, int step) const {
    const grpo_constants& c = s_.constants.grpo;
    return sample_responses(s_.context(products), prepared,
                            s_.prompts(stream::frozen_prompts, step, c.prompts),
                            s_.sampled(decoding::sampled, c.samples, stream::frozen_samples, step));
  }

  /// A gradient for each weighting of the same rollouts.
  std::vector<std::vector<float>> gradients(const training_pass& training,
                                            const std::vector<rollout>& rollouts,
                                            const std::vector<mismatch>& weightings) {
    const learning_batch batch(s_, rollouts);
    pass_.take(batch.sequences);
    pass_.forward(training.weights, training.products);
    std::vector<std::vector<float>> result;
    for (const mismatch weighting : weightings) {
      const std::vector<std::vector<float>> weight = token_weights(weighting, rollouts);
      result.push_back(pass_.gradient(training.weights, training.transposed, training.formats,
                                      [&](int i, int t, const token_outcome&) {
                                        return batch.share.data()[i] *
                                               (weight[static_cast<std::size_t>(i)].data()[t] *
                                                batch.advantage.data()[i]);
                                      }));
    }
    return result;
  }

  /// Of the batch whose outcomes the pass holds, by sequence and position.
  [[nodiscard]] std::vector<std::vector<float>> token_weights(
      mismatch weighting, std::span<const rollout> rollouts) const {
    std::vector<std::vector<float>> result;
    const std::vector<token_outcome> outcomes = pass_.outcomes();
    auto outcome = outcomes.begin();
    for (const rollout& r : rollouts) {
      std::vector<float>& weight = result.emplace_back(r.log_probability.size(), 1.0F);
      double log_ratio = 0;
      for (std::size_t t = 0; t < weight.size(); ++t, ++outcome) {
        const float trained = outcome->log_probability, drawn = r.log_probability[t];
        log_ratio += double{trained} - double{drawn};
        if (weighting == mismatch::truncated_importance) {
          weight[t] = importance_weight(trained, drawn, cap_);
        }
      }
      if (weighting == mismatch::sequence_mask) {
        std::ranges::fill(weight, masked_sequence_weight(log_ratio, cap_));
      }
    }
    return result;
  }

  [[nodiscard]] cell_figures figures() const {
    cell_figures result;
    result[{"rollout_agreement", "", ""}] =
        replicate(agreement_, [](const std::vector<agreement>& all, std::size_t left_out) {
          agreement sum;
          for (std::size_t i = 0; i < all.size(); ++i) {
            if (i != left_out) sum.same += all[i].same, sum.all += all[i].all;
          }
          return sum.same / sum.all;
        });
    for (std::size_t w = 0; w < correction_words.size(); ++w) {
      const gradient_bias bias(weighted_[w], reference_);
      const gradient_bias::share whole = bias.over(0, s_.table.count());
      const auto note = [&](const char* name, const std::optional<replicated>& figure) {
        if (!figure) return;
        result[{fmt::format("rollout_gradient_{}.{}", name, correction_words[w].text), "", ""}] =
            *figure;
      };
      note("bias_squared", whole.bias_squared());
      note("cosine", whole.cosine());
      note("projection", whole.projection());
      note("variance", whole.variance());
    }
    return result;
  }

  const setting& s_;
  const std::vector<float>& weights_;
  const arm& arm_;
  float cap_;
  batch_pass pass_;
  part_gradients reference_;
  std::vector<part_gradients> weighted_;  ///< in the order of correction_words
  std::vector<agreement> agreement_;      ///< by part
};

}  // namespace

bool has_rollout_mismatch(const arm& a) { return a.formats.rollout != a.formats.forward; }

cell_figures rollout_bias(const setting& s, const std::vector<float>& weights, const arm& a) {
  return mismatch_measurer(s, weights, a).run();
}

}  // namespace sim
