// SPDX-License-Identifier: Apache-2.0
// sim/study/operand_words.cpp: formats of operands as keys, and why one is refused.
#include "sim/study/operand_words.h"

#include "mx/presets/variants.h"
#include "mx/recipe_words.h"
#include "sim/study/study_words.h"

namespace sim {

bool has_number_keys(const mx::operand& f) {
  if (!f.is_coded()) return true;
  const mx::corrections& c = f.recipe.corrections;
  mx::corrections named{.macro_block = c.macro_block, .macro_bits = c.macro_bits};
  if (c.fallback == mx::fallback_mode::all && c.alpha > 0 && c.alpha <= 1) {
    named.fallback = c.fallback;
    named.alpha = c.alpha;
  }
  const mx::quantization rules{mx::block_formats::mxfp4, f.recipe.rules.rule};
  return f == mx::operand{f.numbers, {rules, named}, f.toggle, f.parts};
}

std::string tensor_word(const mx::block_format& f) {
  if (!f.has_tensor_scale()) return "none";
  const std::string unit = f.tensor == mx::tensor_scaling::per_tensor ? "tensor" : "row";
  return unit + (f.bound == mx::tensor_bound::of_256 ? "256" : "");
}

std::vector<std::string_view> parts_of(mx::component parts) {
  std::vector<std::string_view> result;
  for (const auto& w : part_words) {
    if (mx::contains(parts, w.value)) result.push_back(w.text);
  }
  return result;
}

std::string sentence_of(const mx::operand& f, mx::operand_refusal why) {
  switch (why) {
    case mx::operand_refusal::none:
      break;
    case mx::operand_refusal::recipe:
      return mx::sentence_of(f.recipe, mx::refusal_of(f.recipe));
    case mx::operand_refusal::preset:
      return std::string(mx::preset_of(f.recipe).about.name) +
             " does not quantize to blocks and decode them; use one that does, or a recipe";
    case mx::operand_refusal::toggled:
      return "parts of the error are defined for elements in e2m1 with e8m0 scales, rounded to the "
             "nearest even under a rule up to mse, without corrections; leave toggle out";
    case mx::operand_refusal::whole:
      return mx::format_word(f.recipe) +
             " takes a whole matrix, as W is; use blocks of one row without +double";
  }
  return {};
}

}  // namespace sim
