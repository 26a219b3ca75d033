// SPDX-License-Identifier: Apache-2.0
// sim/study/study.h: every constant of a study, as one value. The file that sets them is TOML
// (study_file.h).
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mx/dot/models.h"
#include "mx/tensor/operand.h"
#include "sim/study/policy_family.h"
#include "sim/study/task_shape.h"

namespace sim {

/// The four passes whose products are quantized.
enum class pass : std::uint8_t { rollout, forward, dgrad, wgrad };
inline constexpr std::array<pass, 4> all_passes{pass::rollout, pass::forward, pass::dgrad,
                                                pass::wgrad};

/// The W of dgrad, and the X of wgrad.
///   own      the numbers, quantized along the axis that the pass contracts over
///   forward  the values in forward's products, under `fp32.fma`: `other` is then forward's W or X
enum class operand_source : std::uint8_t { own, forward };

/// An operand of a product.
///   data  X, or dY      other  W, or X
enum class operand_role : std::uint8_t { data, other };

/// A part of a layer: q, k, v and o, or gate, up and down.
enum class layer_part : std::uint8_t { none, attention, feed_forward };

/// Products whose operands have another format on both sides, unrotated, under `fp32.fma`.
///   first, last  layers, of the policy's `layers`
///   part         of every layer
struct exempt_products {
  int first = 0, last = 0, layers = 0;
  layer_part part = layer_part::none;
  mx::operand format = {};

  [[nodiscard]] bool is_empty() const noexcept {
    return first == 0 && last == 0 && part == layer_part::none;
  }
  friend bool operator==(const exempt_products&, const exempt_products&) = default;
};

/// A format of operands of the linears that it names, in place of those of their pass.
///   names      regular expression (RE2) of whole names (sim/study/linear.h)
///   passes, operands  that it is about: by pass, by operand_role
///   matches    whether it names a linear: by place_of (sim/study/format_rules.h)
struct format_rule {
  std::string names;
  std::array<bool, all_passes.size()> passes{true, true, true, true};
  std::array<bool, 2> operands{true, true};
  mx::operand format;
  std::size_t linears_a_layer = 0;
  std::vector<bool> matches;

  friend bool operator==(const format_rule&, const format_rule&) = default;
};

/// Arithmetic of the products of one pass.
///   rollout, forward   data = X,  other = W
///   dgrad              data = dY, other = W
///   wgrad              data = dY, other = X
///   model     multiplies values (`fp32.fma`), or codes of its own formats
///   rotation  of both operands along the contraction axis before they are quantized
///   sequences  of one product of wgrad, consecutive in the batch: their real tokens, one sequence
///              after the other, are its contraction axis; a power of two. 1 in the other passes
///   exempt, rules  the same in all passes of an arm. The first rule about an operand gives its
///                  format,
///              before `exempt`; one of forward has what rules give it in forward. The product is
///              then unrotated and under `fp32.fma`
struct pass_format {
  mx::operand data;
  mx::operand other;
  operand_source source = operand_source::own;
  const mx::named_model* model = mx::model_named("fp32.fma");
  mx::rotation rotation = {};
  int sequences = 1;
  exempt_products exempt = {};
  std::vector<format_rule> rules = {};

  [[nodiscard]] const mx::operand& of(operand_role role) const noexcept {
    return role == operand_role::data ? data : other;
  }
  /// Whether the model multiplies values, and not codes.
  [[nodiscard]] bool multiplies_values() const noexcept {
    return model == mx::model_named("fp32.fma");
  }
  friend bool operator==(const pass_format&, const pass_format&) = default;
};

/// Formats of all passes: an arm's arithmetic.
struct arithmetic {
  pass_format rollout, forward, dgrad, wgrad;
  friend bool operator==(const arithmetic&, const arithmetic&) = default;
};

/// The same operands, each product a chain of `fp32.fma`.
[[nodiscard]] inline arithmetic under_fma(arithmetic formats) noexcept {
  for (pass_format* f : {&formats.rollout, &formats.forward, &formats.dgrad, &formats.wgrad}) {
    f->model = pass_format{}.model;
  }
  return formats;
}

enum class rollout_noise : std::uint8_t { none, adaptive };  ///< AQN on the norm weights

/// Correction of a rollout under another policy than the trained one.
///   truncated_importance  TIS: a token's weight is its ratio, at most the cap
///   sequence_mask         a token's weight is the product of its sequence's ratios, 0 above the
///                         cap; masked sequences stay in the token count (TRL's name and
///                         definition)
enum class mismatch : std::uint8_t { none, truncated_importance, sequence_mask };

enum class arm_training : std::uint8_t { grpo, none };  ///< none: frozen weights alone

/// How a gradient of clipped norm moves the weights.
///   sgd    by the learning rate times it
///   adamw  as Adam, after the weights decayed by the learning rate times the weight decay:
///          decoupled
enum class optimizer_kind : std::uint8_t { adam, sgd, adamw };

/// Parameters that decay under AdamW.
///   matrices  linears and the embedding, which is the head too, and no norm
enum class decayed_parameters : std::uint8_t { matrices, all };

struct arm {
  std::string name;
  arithmetic formats;
  rollout_noise noise = rollout_noise::none;
  mismatch correction = mismatch::none;
  std::optional<float> importance_cap = {};  ///< in place of the study's
  arm_training training = arm_training::grpo;
  std::optional<optimizer_kind> optimizer = {};  ///< in place of the study's, like the rate
  std::optional<float> learning_rate = {};
  std::optional<float> weight_decay = {};  ///< in place of the study's, under AdamW
  friend bool operator==(const arm&, const arm&) = default;
};

/// Plain MXFP4 in every pass, under one scale rule, and without noise: required by the error
/// components and a tensor core's products.
[[nodiscard]] inline bool is_plain_microscaled(const arm& a) {
  const mx::scale_rule rule = a.formats.forward.data.recipe.rules.rule;
  const mx::operand plain{mx::operand_numbers::coded, {{mx::block_formats::mxfp4, rule}}};
  const pass_format both{plain, plain};
  return a.formats == arithmetic{both, both, both, both} && a.noise == rollout_noise::none;
}

/// Law of the initial weights but those of norms, which are 1.
///   student_t  heavier tails: scaled to the same standard deviation, which one or two degrees of
///              freedom lack: those to the same interquartile range
enum class weight_law : std::uint8_t { normal, student_t };

/// What a policy has that few large values come from.
struct policy_outliers {
  weight_law weights = weight_law::normal;
  int degrees = 5;  ///< of freedom, under weight_law::student_t
  /// Massive activations: a constant that every `+` carries in these channels of the residual
  /// stream, from the embedding on. It is no weight, and the head does not see it.
  std::vector<int> massive_channels{};
  float massive_value = 100.0F;
  friend bool operator==(const policy_outliers&, const policy_outliers&) = default;
};

/// Where the parameters of a policy are from.
///   file     empty: they are drawn
///   sha256   of the parameters, as FP32 numbers in their order; empty: not known yet
///   weights  null: not loaded yet
struct policy_source {
  std::string file, sha256;
  std::shared_ptr<const std::vector<float>> weights;
  friend bool operator==(const policy_source& a, const policy_source& b) {
    return a.file == b.file && a.sha256 == b.sha256;
  }
};

struct policy_shape {
  policy_family family = policy_family::qwen3;
  output_head head = output_head::embedding;
  int width = 128, layers = 2, heads = 4, kv_heads = 2, head_width = 32;
  int hidden = 384;  ///< of an expert, in families with experts
  expert_mixture experts{};
  int vocabulary = 32;
  double rope_theta = 10000;
  float norm_epsilon = 1e-6F;
  float embedding_std = 0.1F;  ///< initial standard deviations
  float input_std = 0.088F;    ///< q, k, v, gate, up
  float output_std = 0.044F;   ///< o, down
  policy_outliers outliers{};
  policy_source source{};

  [[nodiscard]] bool has_experts() const noexcept { return features_of(family).experts; }
  /// Feed-forward parts of a layer: its experts, or one.
  [[nodiscard]] int parts_of_layer() const noexcept { return has_experts() ? experts.count : 1; }
  /// Feed-forward rows of a token.
  [[nodiscard]] int parts_a_token() const noexcept { return has_experts() ? experts.chosen : 1; }
  friend bool operator==(const policy_shape&, const policy_shape&) = default;
};

struct adam_constants {
  float beta1 = 0.9F, beta2 = 0.99F, epsilon = 1e-8F;
};

/// The end of the warm-up and its learning rate, after the ramp.
///   fixed           `steps` steps; the rate falls linearly from the ramp to the last step
///   until_accuracy  the rate is constant until the accuracy on the gate's problems reaches the
///                   target, and falls linearly for `decay_steps`; `steps` steps at most
enum class rate_schedule : std::uint8_t { fixed, until_accuracy };

struct warm_up_constants {
  rate_schedule schedule = rate_schedule::until_accuracy;
  int steps = 1000, sequences = 64;
  adam_constants adam;
  float learning_rate = 4e-3F;
  int ramp_steps = 50;
  int decay_steps = 50;
  float final_fraction = 0.1F;    ///< of the learning rate, reached linearly at the last step
  float clip = 1.0F;              ///< of the global gradient norm
  float digit_noise = 0.10F;      ///< chance that a response digit is replaced by a random digit
  float target_accuracy = 0.20F;  ///< sampled, under FP32
  int gate_problems = 1024;
  int gate_interval = 10;  ///< steps between two measurements
};

/// A response's advantage among the rewards r of its group, of mean m.
///   group_std      (r - m) / (std + epsilon), std over n - 1: GRPO
///   group_mean     r - m: Dr. GRPO
///   leave_one_out  r - mean of the others: RLOO
enum class advantage_estimator : std::uint8_t { group_std, group_mean, leave_one_out };

/// Sum of an update's token losses, over
///   token_mean       its response tokens: DAPO
///   sequence_mean    the tokens of their response, times the update's responses: GRPO's first form
///   constant_length  its responses times the longest possible response: Dr. GRPO
enum class loss_aggregation : std::uint8_t { token_mean, sequence_mean, constant_length };

/// A token's estimate of KL(policy || reference policy), with l = log p_reference - log p.
///   k1, k2, k3  -l, l^2 / 2, e^l - 1 - l
///   exact       over the whole vocabulary
enum class kl_estimator : std::uint8_t { k1, k2, k3, exact };

/// The learning rate behind the ramp, up to the last step.
///   linear, cosine  falls to the final fraction, along a line or half a period of the cosine
enum class rate_decay : std::uint8_t { constant, linear, cosine };

struct grpo_constants {
  int steps = 40, prompts = 16, samples = 8;
  int max_redraws = 0;  ///< rounds in which groups without spread are drawn again
  int overlong_cache =
      0;  ///< tokens before the longest possible response that are punished; 0: none
  optimizer_kind optimizer = optimizer_kind::adam;
  adam_constants adam;
  float weight_decay = 0.01F;
  decayed_parameters decayed = decayed_parameters::matrices;
  float learning_rate = 2e-4F;
  int ramp_steps = 10;
  rate_decay schedule = rate_decay::constant;
  float final_fraction = 0.0F;  ///< of the learning rate, at the last step
  float clip = 1.0F;
  advantage_estimator advantage = advantage_estimator::group_std;
  float advantage_epsilon = 1e-6F;
  loss_aggregation aggregation = loss_aggregation::token_mean;
  float kl_coefficient = 0.0F;  ///< of the loss; 0: no KL term
  sim::kl_estimator kl_estimator = sim::kl_estimator::k3;
  int minibatches = 1;                                           ///< updates a batch of rollouts
  float ratio_low = 0.2F, ratio_high = 0.28F, dual_clip = 3.0F;  ///< of several updates
  float importance_cap = 2.0F;                                   ///< of arms without their own
};

/// The cap of an arm's correction.
[[nodiscard]] inline float importance_cap_of(const arm& a, const grpo_constants& g) {
  return a.importance_cap.value_or(g.importance_cap);
}
[[nodiscard]] inline optimizer_kind optimizer_of(const arm& a, const grpo_constants& g) {
  return a.optimizer.value_or(g.optimizer);
}
[[nodiscard]] inline float weight_decay_of(const arm& a, const grpo_constants& g) {
  return a.weight_decay.value_or(g.weight_decay);
}
/// After the ramp.
[[nodiscard]] inline float learning_rate_of(const arm& a, const grpo_constants& g) {
  return a.learning_rate.value_or(g.learning_rate);
}

struct noise_constants {
  std::vector<float> sigmas{};  ///< of the intervals after the first, which has no noise
  float frozen_sigma = 1e-2F;   ///< sigma of the measurement at frozen weights
};

struct outlier_constants {
  std::vector<int> factors{1, 4, 16};  ///< powers of two
  std::vector<int> norm_channels{};    ///< of both RMSNorms of a layer
  std::vector<int> hidden_units{};     ///< of up and down
  /// Further policies by name, each warmed up as the study's and measured at frozen weights alone.
  std::map<std::string, policy_outliers> policies{};
};

[[nodiscard]] inline std::vector<int> default_additivity_steps() { return {1, 5, 20}; }

/// What is measured at frozen weights.
///   rollouts        of the FP32 policy, with GRPO's advantages
///   demonstrations  of the warm-up, new ones, each with advantage 1: their gradient is not 0 where
///                   a policy solves no problem yet
enum class frozen_tokens : std::uint8_t { rollouts, demonstrations };

struct measurement_constants {
  int frozen_batches = 8;  ///< each of prompts * samples rollouts, or as many as in the warm-up
  sim::frozen_tokens frozen_tokens = sim::frozen_tokens::rollouts;
  int evaluation_problems = 1024;
  int evaluation_interval = 10;  ///< steps between two sampled evaluations
  int final_problems = 8192;     ///< of the evaluation under FP32 after the last step
  /// Training steps of the reference, from 1, that are replayed under each part of the error.
  std::vector<int> additivity_steps = default_additivity_steps();
  int mismatch_rollouts = 0;  ///< of an arm whose rollouts have another arithmetic; 0: none
};

/// Who computes the products of FP32 numbers.
enum class compute_device : std::uint8_t { cpu, cuda };

/// What a forward pass keeps for the backward pass.
///   every_layer  all rows of all layers
///   inputs       the inputs of layers; a layer's other rows are computed again before its backward
///                pass
enum class kept_rows : std::uint8_t { every_layer, inputs };

/// Execution options. They change no bit of any result and are left out of the hash.
struct execution {
  int threads = 0;      ///< 0: as many as the machine has
  int micro_batch = 0;  ///< sequences a micro-batch; 0: chosen by the program
  compute_device device = compute_device::cpu;
  kept_rows kept = kept_rows::every_layer;
  int keep_checkpoints = 0;  ///< the last so many of an arm; 0, 1: the last one
  int memory = 0;            ///< GiB that the run may need; 0: as much as the machine has left
};

struct study {
  std::string name;
  std::uint64_t seed = 1;
  policy_shape policy;
  task_shape task;
  warm_up_constants warm_up;
  grpo_constants grpo;
  noise_constants noise;
  outlier_constants outliers;
  measurement_constants measurement;
  execution run;
  std::vector<arm> arms;  ///< the first is the reference, in FP32
};

}  // namespace sim
