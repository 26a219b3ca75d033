// SPDX-License-Identifier: Apache-2.0
// mx/kernels/recipe_words.h: refused recipes in the words of mx/recipe_words.h, for programs that
// link mx::spelling; the kernels alone have the sentences of mx/kernels/status.h.
#pragma once
#include "mx/kernels/status.h"
#include "mx/recipe_words.h"

namespace mx::kernels {

/// Why mx refuses the same part; none if only the kernels do.
[[nodiscard]] inline recipe_refusal refusal_of(const recipe& how, recipe_part part) noexcept {
  switch (part) {
    case recipe_part::rules:
      return recipe_refusal::quantizer;
    case recipe_part::layout:
      return recipe_refusal::wide_layout;
    case recipe_part::exact_scale:
      return recipe_refusal::exact_scale;
    case recipe_part::corrections:
    case recipe_part::rotation: {
      const bool is_sound = mx::refusal_of(how.rules, how.corrections) == correction_refusal::none;
      return is_sound ? recipe_refusal::none : recipe_refusal::corrections;
    }
    default:
      return recipe_refusal::none;
  }
}

/// The status of a request with this recipe, in one sentence: the format and its corrections in one
/// word, the reason, and the remedy.
[[nodiscard]] inline std::string sentence_of(const recipe& how, const status& answer) {
  if (answer.part == recipe_part::none) return sentence_of(answer);
  const recipe_refusal why = refusal_of(how, answer.part);
  return format_word(how) + ": " +
         (why == recipe_refusal::none ? sentence_of(answer) : mx::sentence_of(how, why));
}

}  // namespace mx::kernels
