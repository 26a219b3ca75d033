// SPDX-License-Identifier: Apache-2.0
// sim/study/study_keys.h: every key of a study file but formats and arms, with its limits.
// Defined once, as visits: the reader and the writer of study files both walk this list.
#pragma once
#include <cstdint>
#include <vector>

#include "sim/study/study.h"
#include "sim/study/study_words.h"

namespace sim {

/// Integers from low to high that are multiples of step.
struct whole {
  std::int64_t low, high, step = 1;
};

/// Real numbers, as a condition and its text.
struct real {
  const char* words;
  bool (*holds)(double);
};

/// Limits of a key that has no effect under some values of other keys: there it is not written, and
/// refused where it is set.
///   otherwise  the sentence of the refusal; null: it is passed over
template <class Limits>
struct conditional {
  Limits limits;
  bool effective;
  const char* otherwise;
};
template <class Limits>
conditional(Limits, bool, const char*) -> conditional<Limits>;  // as in study_words.h

/// The same of a word.
struct effective_where {
  bool effective;
  const char* otherwise;
};

/// Limits of the elements of a list that is not written where it has its default: the hashes of
/// studies without the key are those of versions that lacked it.
struct unless_default {
  whole limits;
  std::vector<int> standard;
};

/// Limits of a number that is not written where it is 0, as by versions without the key.
template <class Limits>
struct unless_zero {
  Limits limits;
};
template <class Limits>
unless_zero(Limits) -> unless_zero<Limits>;

inline constexpr real positive{"a number above 0", [](double v) { return v > 0; }};
inline constexpr real positive_or_zero{"a number of at least 0", [](double v) { return v >= 0; }};
inline constexpr real fraction{"a number from 0 to 1", [](double v) { return v >= 0 && v <= 1; }};
inline constexpr real decay{"a number from 0 to below 1", [](double v) { return v >= 0 && v < 1; }};
inline constexpr real above_one{"a number above 1", [](double v) { return v > 1; }};
inline constexpr real inside_one{"a number above 0 and below 1",
                                 [](double v) { return v > 0 && v < 1; }};

inline constexpr whole count{1, 1'000'000};
inline constexpr whole thread_count{0, 4096};
inline constexpr whole micro_batch_size{0, 1'000'000};
inline constexpr whole kept_checkpoint_count{0, 1000};
inline constexpr whole memory_size{0, 1'000'000};
inline constexpr whole product_sequences{1, 65536};

/// Hashes of studies without these keys are those of versions that lacked them.
template <class Visitor>
void visit_keys(policy_outliers& p, Visitor& at) {
  at.word("weights", p.weights, weight_law_words, weight_law::normal);
  at.value("degrees", p.degrees,
           conditional{whole{1, 100}, p.weights == weight_law::student_t,
                       "has no effect on normal weights; remove it, or set weights = "
                       "\"student-t\" beside it"});
  at.value("massive_channels", p.massive_channels, unless_default{{0, 8191}, {}});
  at.value("massive_value", p.massive_value,
           conditional{positive, !p.massive_channels.empty(),
                       "has no effect without channels; remove it, or set massive_channels beside "
                       "it"});
}

template <class Visitor>
void visit_keys(policy_shape& p, Visitor& at) {
  at.file("checkpoint", p.source.file);
  if (!p.source.file.empty() || !p.source.sha256.empty()) at.value("sha256", p.source.sha256);
  // Hashes of studies of Qwen3-shaped policies are those of versions without these keys.
  at.word_unless(policy_family::qwen3, "family", p.family, family_words);
  at.word_unless(output_head::embedding, "head", p.head, head_words);
  at.value("width", p.width, whole{32, 8192, 32});
  at.value("layers", p.layers, whole{1, 256});
  at.value("heads", p.heads, whole{1, 256});
  at.value("kv_heads", p.kv_heads, whole{1, 256});
  at.value("head_width", p.head_width, whole{16, 1024, 16});
  at.value("hidden", p.hidden, whole{32, 32768, 32});
  constexpr const char* of_experts =
      "has no effect without experts; remove it, or set family = \"qwen3_moe\" beside it";
  const bool experts = p.has_experts();
  at.value("experts", p.experts.count, conditional{whole{1, 1024}, experts, of_experts});
  at.value("experts_per_token", p.experts.chosen, conditional{whole{1, 64}, experts, of_experts});
  at.word("expert_weights", p.experts.weights, expert_weight_words,
          effective_where{experts, of_experts});
  // Sampling counts groups of four tokens in 16 bits.
  at.value("vocabulary", p.vocabulary, whole{16, 262144, 16});
  at.value("rope_theta", p.rope_theta, positive);
  at.value("norm_epsilon", p.norm_epsilon, positive);
  at.value("embedding_std", p.embedding_std, positive);
  at.value("input_std", p.input_std, positive);
  at.value("output_std", p.output_std, positive);
  visit_keys(p.outliers, at);
}

template <class Visitor>
void visit_built_in_keys(task_shape& t, Visitor& at) {
  // With a file, keys of the task that it replaces, of a study that this one extends, are passed
  // over.
  const bool file = is_listed(t);
  task_kind built_in = file ? task_kind::column_addition : t.kind;
  // Hashes of studies of column addition are those of versions without this key.
  at.word("kind", built_in, task_words, task_kind::column_addition);
  if (!file) t.kind = built_in;
  const bool columns = t.kind == task_kind::column_addition,
             sums = t.kind == task_kind::modular_sums;
  at.value("digits", t.digits,
           conditional{whole{1, 9}, columns,
                       file ? nullptr
                            : "has no effect under task.kind = \"modular-sums\", whose keys are "
                              "terms and modulus; remove it, or task.kind"});
  const auto of_sums = [&](whole limits) {
    return conditional{limits, sums,
                       file ? nullptr
                            : "has no effect under task.kind = \"column-addition\", whose key is "
                              "digits; remove it, or set task.kind = \"modular-sums\""};
  };
  at.value("terms", t.terms, of_sums({3, 8}));
  at.value("modulus", t.modulus, of_sums({2, 100}));
}

template <class Visitor>
void visit_keys(task_shape& t, Visitor& at) {
  at.file("file", t.source.file);
  if (!t.source.file.empty()) t.kind = task_kind::listed;
  if (is_listed(t)) at.value("sha256", t.source.sha256);
  visit_built_in_keys(t, at);
  at.value("sequence", t.sequence, whole{32, 8192, 32});
  at.value("max_response_length", t.max_response_length, unless_zero{whole{0, 8192}});
  at.word("splits", t.splits, split_words);
}

template <class Visitor>
void visit_keys(adam_constants& a, Visitor& at) {
  at.value("beta1", a.beta1, decay);
  at.value("beta2", a.beta2, decay);
  at.value("epsilon", a.epsilon, positive);
}

template <class Visitor>
void visit_keys(warm_up_constants& w, Visitor& at) {
  at.word("schedule", w.schedule, schedule_words);
  at.value("steps", w.steps, whole{0, count.high});
  at.value("sequences", w.sequences, count);
  at.table("adam", w.adam);
  at.value("learning_rate", w.learning_rate, positive);
  at.value("ramp_steps", w.ramp_steps, count);
  at.value("decay_steps", w.decay_steps, count);
  at.value("final_fraction", w.final_fraction, fraction);
  at.value("clip", w.clip, positive);
  at.value("digit_noise", w.digit_noise, fraction);
  at.value("target_accuracy", w.target_accuracy, fraction);
  at.value("gate_problems", w.gate_problems, count);
  at.value("gate_interval", w.gate_interval, count);
}

/// Keys of the optimizer and of its learning rate.
template <class Visitor>
void visit_update_keys(grpo_constants& g, Visitor& at) {
  at.word_unless(optimizer_kind::adam, "optimizer", g.optimizer, optimizer_words);
  at.table("adam", g.adam);
  const bool decays = g.optimizer == optimizer_kind::adamw;
  constexpr const char* without_decay =
      "has no effect without grpo.optimizer = \"adamw\"; remove it, or set that";
  at.value("weight_decay", g.weight_decay, conditional{positive_or_zero, decays, without_decay});
  at.word("decayed", g.decayed, decayed_words, effective_where{decays, without_decay});
  at.value("learning_rate", g.learning_rate, positive);
  at.value("ramp_steps", g.ramp_steps, count);
  at.word_unless(rate_decay::constant, "schedule", g.schedule, decay_words);
  at.value("final_fraction", g.final_fraction,
           conditional{fraction, g.schedule != rate_decay::constant,
                       "has no effect on a constant rate; remove it, or set grpo.schedule to "
                       "\"linear\" or \"cosine\""});
  at.value("clip", g.clip, positive);
}

/// Keys of the loss.
template <class Visitor>
void visit_loss_keys(grpo_constants& g, Visitor& at) {
  at.word_unless(advantage_estimator::group_std, "advantage", g.advantage, advantage_words);
  at.value("advantage_epsilon", g.advantage_epsilon,
           conditional{positive, g.advantage == advantage_estimator::group_std,
                       "has no effect on an advantage without a standard deviation; remove it, or "
                       "set grpo.advantage = \"group_std\""});
  at.word_unless(loss_aggregation::token_mean, "aggregation", g.aggregation, aggregation_words);
  at.value("kl_coefficient", g.kl_coefficient, unless_zero{positive_or_zero});
  at.word("kl_estimator", g.kl_estimator, kl_words,
          effective_where{g.kl_coefficient > 0,
                          "has no effect without a KL term; remove it, or set grpo.kl_coefficient "
                          "above 0"});
}

template <class Visitor>
void visit_keys(grpo_constants& g, Visitor& at) {
  at.value("steps", g.steps, count);
  at.value("prompts", g.prompts, whole{1, 65536});
  at.value("samples", g.samples, whole{2, 65536});  // a group of one has no spread
  at.value("max_redraws", g.max_redraws, unless_zero{whole{0, 1000}});
  at.value("overlong_cache", g.overlong_cache, unless_zero{whole{0, 8192}});
  visit_update_keys(g, at);
  visit_loss_keys(g, at);
  at.value("minibatches", g.minibatches, count);
  const auto of_several = [&](const real& limits) {
    return conditional{limits, g.minibatches > 1,
                       "has no effect with one update a batch, where the ratio is 1; remove it, or "
                       "set grpo.minibatches above 1"};
  };
  at.value("ratio_low", g.ratio_low, of_several(inside_one));
  at.value("ratio_high", g.ratio_high, of_several(positive));
  at.value("dual_clip", g.dual_clip, of_several(above_one));
  at.value("importance_cap", g.importance_cap, positive);
}

template <class Visitor>
void visit_keys(noise_constants& n, Visitor& at) {
  at.value("sigmas", n.sigmas, positive);
  at.value("frozen_sigma", n.frozen_sigma, positive);
}

template <class Visitor>
void visit_keys(outlier_constants& o, Visitor& at) {
  at.value("factors", o.factors, whole{1, 65536});
  at.value("norm_channels", o.norm_channels, whole{0, 8191});
  at.value("hidden_units", o.hidden_units, whole{0, 32767});
  at.tables("policies", o.policies);
}

template <class Visitor>
void visit_keys(measurement_constants& m, Visitor& at) {
  at.value("frozen_batches", m.frozen_batches, whole{2, 4096});  // one batch has no jackknife
  at.word_unless(frozen_tokens::rollouts, "frozen_tokens", m.frozen_tokens, frozen_token_words);
  at.value("evaluation_problems", m.evaluation_problems, count);
  at.value("evaluation_interval", m.evaluation_interval, count);
  at.value("final_problems", m.final_problems, count);
  at.value("additivity_steps", m.additivity_steps,
           unless_default{count, default_additivity_steps()});
  at.value("mismatch_rollouts", m.mismatch_rollouts, unless_zero{whole{0, 1'000'000}});
}

template <class Visitor>
void visit_keys(execution& e, Visitor& at) {
  at.value("threads", e.threads, thread_count);
  at.value("micro_batch", e.micro_batch, micro_batch_size);
  at.word_unless(compute_device::cpu, "device", e.device, compute_device_words);
  at.word_unless(kept_rows::every_layer, "kept_rows", e.kept, kept_rows_words);
  at.value("keep_checkpoints", e.keep_checkpoints, unless_zero{kept_checkpoint_count});
  at.value("memory", e.memory, unless_zero{memory_size});
}

/// Everything that determines results, except formats and arms.
template <class Visitor>
void visit_keys(study& s, Visitor& at) {
  at.value("name", s.name);
  at.value("seed", s.seed);
  at.table("policy", s.policy);
  at.table("task", s.task);
  at.table("warm_up", s.warm_up);
  at.table("grpo", s.grpo);
  at.table("noise", s.noise);
  at.table("outliers", s.outliers);
  at.table("measurement", s.measurement);
}

}  // namespace sim
