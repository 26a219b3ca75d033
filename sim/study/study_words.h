// SPDX-License-Identifier: Apache-2.0
// sim/study/study_words.h: the words of a study file for enumerators.
#pragma once
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/study/study.h"

namespace sim {

/// An enumerator and its word in a study file.
template <class Value>
struct word {
  Value value;
  std::string_view text;
};
template <class Value>
word(Value, std::string_view) -> word<Value>;  // clang 14 does not deduce it from an aggregate

/// Of the key `numbers`; other coded numbers have a `recipe`.
inline constexpr std::array number_words{word{mx::operand_numbers::fp32, "fp32"},
                                         word{mx::operand_numbers::bf16, "bf16"},
                                         word{mx::operand_numbers::coded, "mxfp4"}};
inline constexpr std::array toggle_words{word{mx::toggle::injection, "injection"},
                                         word{mx::toggle::operation, "operation"}};
inline constexpr std::array part_words{
    word{mx::component::scale, "scale"}, word{mx::component::deadzone, "deadzone"},
    word{mx::component::grid, "grid"}, word{mx::component::clip, "clip"}};
inline constexpr std::array noise_words{word{rollout_noise::none, "none"},
                                        word{rollout_noise::adaptive, "adaptive"}};
inline constexpr std::array correction_words{
    word{mismatch::none, "none"}, word{mismatch::truncated_importance, "truncated_importance"},
    word{mismatch::sequence_mask, "sequence_mask"}};
inline constexpr std::array task_words{word{task_kind::column_addition, "column-addition"},
                                       word{task_kind::modular_sums, "modular-sums"}};
inline constexpr std::array split_words{word{problem_splits::none, "none"},
                                        word{problem_splits::disjoint, "disjoint"}};
inline constexpr std::array family_words{
    word{policy_family::llama, features_of(policy_family::llama).name},
    word{policy_family::qwen2, features_of(policy_family::qwen2).name},
    word{policy_family::qwen3, features_of(policy_family::qwen3).name},
    word{policy_family::qwen3_moe, features_of(policy_family::qwen3_moe).name}};
inline constexpr std::array expert_weight_words{word{expert_weights::over_chosen, "over-chosen"},
                                                word{expert_weights::over_all, "over-all"}};
inline constexpr std::array head_words{word{output_head::embedding, "embedding"},
                                       word{output_head::own, "own"}};
inline constexpr std::array weight_law_words{word{weight_law::normal, "normal"},
                                             word{weight_law::student_t, "student-t"}};
inline constexpr std::array schedule_words{word{rate_schedule::fixed, "fixed"},
                                           word{rate_schedule::until_accuracy, "until-accuracy"}};
inline constexpr std::array optimizer_words{word{optimizer_kind::adam, "adam"},
                                            word{optimizer_kind::sgd, "sgd"},
                                            word{optimizer_kind::adamw, "adamw"}};
inline constexpr std::array decayed_words{word{decayed_parameters::matrices, "matrices"},
                                          word{decayed_parameters::all, "all"}};
inline constexpr std::array advantage_words{
    word{advantage_estimator::group_std, "group_std"},
    word{advantage_estimator::group_mean, "group_mean"},
    word{advantage_estimator::leave_one_out, "leave_one_out"}};
inline constexpr std::array aggregation_words{
    word{loss_aggregation::token_mean, "token_mean"},
    word{loss_aggregation::sequence_mean, "sequence_mean"},
    word{loss_aggregation::constant_length, "constant_length"}};
inline constexpr std::array kl_words{word{kl_estimator::k1, "k1"}, word{kl_estimator::k2, "k2"},
                                     word{kl_estimator::k3, "k3"},
                                     word{kl_estimator::exact, "exact"}};
inline constexpr std::array decay_words{word{rate_decay::constant, "constant"},
                                        word{rate_decay::linear, "linear"},
                                        word{rate_decay::cosine, "cosine"}};
inline constexpr std::array layer_part_words{word{layer_part::none, "none"},
                                             word{layer_part::attention, "attention"},
                                             word{layer_part::feed_forward, "feed_forward"}};
inline constexpr std::array frozen_token_words{
    word{frozen_tokens::rollouts, "rollouts"},
    word{frozen_tokens::demonstrations, "demonstrations"}};
inline constexpr std::array kept_rows_words{word{kept_rows::every_layer, "every-layer"},
                                            word{kept_rows::inputs, "inputs"}};
inline constexpr std::array compute_device_words{word{compute_device::cpu, "cpu"},
                                                 word{compute_device::cuda, "cuda"}};
inline constexpr std::array arm_training_words{word{arm_training::grpo, "grpo"},
                                               word{arm_training::none, "none"}};
inline constexpr std::array pass_words{word{pass::rollout, "rollout"},
                                       word{pass::forward, "forward"}, word{pass::dgrad, "dgrad"},
                                       word{pass::wgrad, "wgrad"}};

inline constexpr std::array operand_role_words{word{operand_role::data, "data"},
                                               word{operand_role::other, "other"}};

/// Word of a value, which the list must contain.
template <class Words, class Value>
[[nodiscard]] constexpr std::string_view text_of(const Words& words, Value value) {
  for (const auto& w : words) {
    if (w.value == value) return w.text;
  }
  return "?";
}

/// Formats of one pass.
template <class Arithmetic>
[[nodiscard]] constexpr auto& formats_of(Arithmetic& a, pass p) {
  constexpr std::array members{&arithmetic::rollout, &arithmetic::forward, &arithmetic::dgrad,
                               &arithmetic::wgrad};
  return a.*members[static_cast<std::size_t>(p)];
}

/// The passes of an arithmetic by a property: each value with its passes, "rollout, forward".
template <class Property>
[[nodiscard]] auto passes_by(const arithmetic& a, const Property& property) {
  std::vector<std::pair<std::decay_t<decltype(property(a.forward))>, std::string>> groups;
  for (const auto& w : pass_words) {
    const auto value = property(formats_of(a, w.value));
    const auto known = std::ranges::find(groups, value, [](const auto& g) { return g.first; });
    if (known == groups.end()) {
      groups.emplace_back(value, w.text);
    } else {
      known->second.append(", ").append(w.text);
    }
  }
  return groups;
}

}  // namespace sim
