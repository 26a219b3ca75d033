// SPDX-License-Identifier: Apache-2.0
// sim/train/trainer.h: gradients of a batch, and GRPO steps.
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sim/policy/batch_pass.h"
#include "sim/ranks/rank_group.h"
#include "sim/rollout/sampler.h"
#include "sim/task/random_streams.h"
#include "sim/task/verifiable_task.h"
#include "sim/train/optimizer.h"

namespace sim {

/// Shared state of a study's computation.
///   by     computes the products of FP32 numbers; must outlive the setting
///   ranks  share batches and prompts; must outlive it too
struct setting {
  explicit setting(const study& s, const value_products& computed = bulk_products(),
                   const rank_group& shared_by = this_process())
      : constants(s),
        by(computed),
        ranks(shared_by),
        table(s.policy),
        rope(s.task.sequence, s.policy.head_width, s.policy.rope_theta),
        task(task_of(s.task)),
        problems(task->problems(), s.seed) {}

  study constants;
  const value_products& by;
  const rank_group& ranks;
  parameter_table table;
  rope_table rope;
  std::unique_ptr<const verifiable_task> task;
  problem_partition problems;

  [[nodiscard]] forward_context context(const pass_products& products) const {
    return {table, rope, products};
  }
  /// One prompt of a stream at a step.
  [[nodiscard]] sequence prompt(stream use, int step, std::uint32_t index) const;
  /// The first prompts of a stream at a step. With disjoint splits those of gate and evaluation are
  /// the first problems of their part, and all others are drawn from the training part.
  [[nodiscard]] std::vector<sequence> prompts(stream use, int step, int count) const;
  /// Problems of the evaluation that differ: with disjoint splits those of its part, which come
  /// again where a study asks for more.
  [[nodiscard]] std::size_t distinct_evaluation_problems() const;
  /// Responses that draw random numbers from a stream at a step.
  [[nodiscard]] sampling sampled(decoding how, int samples, stream use, int step) const {
    sampling result{how, samples, constants.seed, counter_word(use, step),
                    response_limit(constants.task)};
    result.end = task->end();
    return result;
  }
  /// An arithmetic whose operands draw random bits for one use at a step.
  [[nodiscard]] step_arithmetic at_step(const arithmetic& formats, stream use, int step) const {
    return {formats, {constants.seed, counter_word(use, step), constants.task.sequence}, &by};
  }
};

/// 1 / number of response tokens.
[[nodiscard]] float token_share(std::span<const sequence> batch);

/// Sequences of a micro-batch: as the study says, or 32; more where a product of wgrad has more.
[[nodiscard]] int micro_batch_of(const study& s);

/// The batch in micro-batches: work(micro-batch, index of its first sequence).
void for_each_micro_batch(const study& s, std::span<const sequence> batch,
                          const std::function<void(std::span<const sequence>, int)>& work);

/// A batch under one policy: the outcome of every response token in batch order, and the
/// log-probabilities of the whole vocabulary in its place.
struct scored_batch {
  std::vector<token_outcome> outcomes;
  std::vector<float> log_distributions;
};

/// Computes gradients of sum weight * -log p over a batch, in micro-batches.
class gradient_computer {
 public:
  explicit gradient_computer(const setting& s);

  /// The gradient, and with it the scored batch.
  ///   weight  of a response token's cross entropy; its `sequence` is `first` for the first one
  ///   first   index of the batch's first sequence in the whole batch, where this is a part of it
  ///   logits  of a loss beside the weights, by the same indices; may be empty
  std::vector<float> operator()(const step_arithmetic& formats, const forward_weights& forward,
                                const backward_weights& backward, std::span<const sequence> batch,
                                const token_weight& weight, int first = 0,
                                const logit_gradient& logits = {});
  [[nodiscard]] const scored_batch& scored() const noexcept { return scored_; }

  /// The forward pass alone.
  [[nodiscard]] scored_batch score(const pass_products& forward, const forward_weights& weights,
                                   std::span<const sequence> batch);

  /// Calls an observer as batch_pass does.
  void watch(batch_pass::observer by) { pass_.watch(std::move(by)); }

 private:
  const setting& setting_;
  batch_pass pass_;
  scored_batch scored_;
};

/// State of one policy under training.
struct training_state {
  std::vector<float> weights;
  adam_state optimizer;
  int step = 0;
  /// Weights of the reference policy; needed by steps with a KL term alone.
  std::shared_ptr<const std::vector<float>> reference = {};
};

/// The state that GRPO starts from. The reference policy has its weights.
[[nodiscard]] training_state start_of_grpo(std::vector<float> weights);

/// A figure of one step, by its name in the metrics.
struct figure {
  std::string name;
  double value;
};

/// One GRPO step of an arm, and the further input of its hash: a batch of rollouts and its updates.
struct rollout_step {
  std::vector<figure> figures;
  std::vector<rollout> rollouts;
  std::vector<float> rewards;
};

/// Called before each update changes the state, when all that can fail in it is done.
///   loss  of the updates so far, with the one to come
using update_check = std::function<void(const rollout_step& batch, double loss)>;

///   errors  std::invalid_argument where a KL term has no reference policy; divergence: the state
///           is that before the update
[[nodiscard]] rollout_step grpo_step(const setting& s, const arm& a, gradient_computer& gradient,
                                     training_state& state, const update_check& check = {});

/// SHA-256 over weights, optimizer moments, trajectories and rewards, in hexadecimal digits.
[[nodiscard]] std::string step_hash(const training_state& state, const rollout_step& step);

}  // namespace sim
