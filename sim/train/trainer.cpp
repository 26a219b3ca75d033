// SPDX-License-Identifier: Apache-2.0
// sim/train/trainer.cpp: see trainer.h.
#include "sim/train/trainer.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "sim/ranks/packed_values.h"
#include "sim/study/sha256.h"
#include "sim/train/batch_rollouts.h"
#include "sim/train/policy_update.h"
#include "sim/train/shared_gradient.h"

namespace sim {

namespace {

/// Adds the scores of a part of a batch behind those of the parts before it.
void append(const scored_batch& part, scored_batch& scored) {
  scored.outcomes.insert(scored.outcomes.end(), part.outcomes.begin(), part.outcomes.end());
  scored.log_distributions.insert(scored.log_distributions.end(), part.log_distributions.begin(),
                                  part.log_distributions.end());
}

std::size_t response_tokens(std::span<const sequence> batch) {
  std::size_t count = 0;
  for (const sequence& s : batch) count += static_cast<std::size_t>(s.response());
  return count;
}

/// A token below 256 is one byte, so that hashes of small vocabularies are those of versions whose
/// tokens were bytes.
void add_tokens(const std::vector<token_id>& tokens, sha256& hash) {
  const bool bytes = std::ranges::all_of(tokens, [](token_id t) { return t < 256; });
  if (bytes) {
    hash.add(std::vector<std::uint8_t>(tokens.begin(), tokens.end()));
  } else {
    hash.add(tokens);
  }
}

/// The parts of a batch that the ranks scored, one after the other.
scored_batch of_all_ranks(const rank_group& ranks, scored_batch own) {
  return {gathered(ranks, std::move(own.outcomes)),
          gathered(ranks, std::move(own.log_distributions))};
}

}  // namespace

int micro_batch_of(const study& s) {
  if (s.run.micro_batch > 0) return s.run.micro_batch;
  int size = 32;
  for (const arm& a : s.arms) size = std::max(size, a.formats.wgrad.sequences);
  return size;
}

std::vector<sequence> setting::prompts(stream use, int step, int count) const {
  std::vector<sequence> result;
  for (int i = 0; i < count; ++i)
    result.push_back(prompt(use, step, static_cast<std::uint32_t>(i)));
  return result;
}

std::size_t setting::distinct_evaluation_problems() const {
  if (constants.task.splits == problem_splits::none) return std::numeric_limits<std::size_t>::max();
  return problems.count(problem_use::evaluation);
}

sequence setting::prompt(stream use, int step, std::uint32_t index) const {
  const std::uint32_t counter = counter_word(use, step);
  if (constants.task.splits == problem_splits::none) {
    return task->prompt(constants.seed, counter, index);
  }
  if (use == stream::gate_prompts) return task->prompt(problems.at(problem_use::gate, index));
  if (use == stream::evaluation_prompts) {
    return task->prompt(problems.at(problem_use::evaluation, index));
  }
  return task->prompt(problems.drawn(problem_use::training, counter, index));
}

float token_share(std::span<const sequence> batch) {
  return 1.0F / static_cast<float>(response_tokens(batch));
}

void for_each_micro_batch(const study& s, std::span<const sequence> batch,
                          const std::function<void(std::span<const sequence>, int)>& work) {
  const auto step = static_cast<std::size_t>(micro_batch_of(s));
  for (std::size_t first = 0; first < batch.size(); first += step) {
    work(batch.subspan(first, std::min(step, batch.size() - first)), static_cast<int>(first));
  }
}

gradient_computer::gradient_computer(const setting& s)
    : setting_(s), pass_(s.table, s.rope, micro_batch_of(s.constants), s.constants.run.kept) {}

std::vector<float> gradient_computer::operator()(const step_arithmetic& formats,
                                                 const forward_weights& forward,
                                                 const backward_weights& backward,
                                                 std::span<const sequence> batch,
                                                 const token_weight& weight, int first,
                                                 const logit_gradient& logits) {
  shared_gradient shared(setting_.ranks, static_cast<int>(batch.size()),
                         formats.formats.wgrad.sequences);
  scored_ = {};
  for (const subtree& own : shared.own()) {
    pass_.take(
        batch.subspan(static_cast<std::size_t>(own.first), static_cast<std::size_t>(own.count)),
        first + own.first);
    pass_.forward(forward, formats.of(pass::forward));
    shared.add(pass_.gradient(forward, backward, formats, weight, logits));
    append({pass_.outcomes(), pass_.take_log_distributions()}, scored_);
  }
  scored_ = of_all_ranks(setting_.ranks, std::move(scored_));
  return shared.total();
}

scored_batch gradient_computer::score(const pass_products& forward, const forward_weights& weights,
                                      std::span<const sequence> batch) {
  scored_batch scored;
  const piece own = own_piece(setting_.ranks, static_cast<int>(batch.size()));
  const auto own_batch =
      batch.subspan(static_cast<std::size_t>(own.first), static_cast<std::size_t>(own.count));
  scored.log_distributions.reserve(response_tokens(own_batch) *
                                   static_cast<std::size_t>(setting_.table.shape().vocabulary));
  decoder one(setting_.table, setting_.rope, kept_rows::inputs);
  for_each_micro_batch(setting_.constants, own_batch,
                       [&](std::span<const sequence> part, int index) {
                         one.take(part, own.first + index);
                         one.forward(weights, forward);
                         append({one.outcomes(), one.take_log_distributions()}, scored);
                       });
  return of_all_ranks(setting_.ranks, std::move(scored));
}

training_state start_of_grpo(std::vector<float> weights) {
  auto reference = std::make_shared<const std::vector<float>>(weights);
  return {std::move(weights), {}, 0, std::move(reference)};
}

rollout_step grpo_step(const setting& s, const arm& a, gradient_computer& gradient,
                       training_state& state, const update_check& check) {
  const step_arithmetic formats = s.at_step(a.formats, stream::training_operands, state.step);
  batch_rollouts drawn = drawn_batch(s, a, formats.of(pass::rollout), state.weights, state.step);
  rollout_step step;
  step.figures = figures_of(s, drawn);
  step.rollouts = std::move(drawn.rollouts);
  step.rewards = std::move(drawn.rewards);
  const std::vector<figure> updates = update_policy(s, a, formats, step, gradient, state, check);
  step.figures.insert(step.figures.end(), updates.begin(), updates.end());
  ++state.step;
  return step;
}

std::string step_hash(const training_state& state, const rollout_step& step) {
  sha256 hash;
  hash.add(state.weights);
  hash.add(state.optimizer.m);
  hash.add(state.optimizer.v);
  for (const rollout& r : step.rollouts) add_tokens(r.tokens.tokens, hash);
  hash.add(step.rewards);
  return hash.hexadecimal();
}

}  // namespace sim
