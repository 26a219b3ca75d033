// SPDX-License-Identifier: Apache-2.0
// sim/study/study_words.h: the words of a study file for enumerators.
#pragma once
#include <array>
#include <string_view>

#include "sim/study/study.h"

namespace sim {

/// An enumerator and its word in a study file.
template <class Value>
struct word {
  Value value;
  std::string_view text;
};

/// Of the key `numbers`; other coded numbers have a `recipe`.
inline constexpr std::array number_words{
    word<mx::operand_numbers>{mx::operand_numbers::fp32, "fp32"},
    word<mx::operand_numbers>{mx::operand_numbers::bf16, "bf16"},
    word<mx::operand_numbers>{mx::operand_numbers::coded, "mxfp4"}};
inline constexpr std::array toggle_words{word<mx::toggle>{mx::toggle::injection, "injection"},
                                         word<mx::toggle>{mx::toggle::operation, "operation"}};
inline constexpr std::array part_words{word<mx::component>{mx::component::scale, "scale"},
                                       word<mx::component>{mx::component::deadzone, "deadzone"},
                                       word<mx::component>{mx::component::grid, "grid"},
                                       word<mx::component>{mx::component::clip, "clip"}};
inline constexpr std::array noise_words{word<rollout_noise>{rollout_noise::none, "none"},
                                        word<rollout_noise>{rollout_noise::adaptive, "adaptive"}};
inline constexpr std::array correction_words{
    word<mismatch>{mismatch::none, "none"},
    word<mismatch>{mismatch::truncated_importance, "truncated_importance"}};
inline constexpr std::array pass_words{
    word<pass>{pass::rollout, "rollout"}, word<pass>{pass::forward, "forward"},
    word<pass>{pass::dgrad, "dgrad"}, word<pass>{pass::wgrad, "wgrad"}};

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
  switch (p) {
    case pass::rollout:
      return a.rollout;
    case pass::forward:
      return a.forward;
    case pass::dgrad:
      return a.dgrad;
    case pass::wgrad:
      break;
  }
  return a.wgrad;
}

}  // namespace sim
