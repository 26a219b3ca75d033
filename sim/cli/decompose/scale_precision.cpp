// SPDX-License-Identifier: Apache-2.0
// sim/cli/decompose/scale_precision.cpp: see scale_precision.h.
#include "sim/cli/decompose/scale_precision.h"

#include <fmt/format.h>

#include "mx/spelling.h"
#include "sim/cli/rules/chosen_recipe.h"

namespace sim::cli {

std::vector<mx::recipe> recipes_of_precisions(const mx::recipe& r, int last) {
  const mx::block_format& f = r.format();
  if (f.scale != mx::formats::e8m0 || f.precision != mx::scale_precision::stored ||
      f.has_tensor_scale()) {
    throw usage_error(
        "decompose: --scale-precision adds fraction bits to E8M0, and scales of {} are others; "
        "expected a format such as mxfp4",
        mx::format_word(r));
  }
  std::vector<mx::recipe> recipes;
  mx::recipe_words words = mx::words_of(r);
  const std::string block =
      f.rows == 1 ? fmt::format("{}", f.columns) : fmt::format("{}x{}", f.rows, f.columns);
  for (int bits = 0; bits <= last; ++bits) {
    words.format = fmt::format("{}:e8m{}:{}", mx::spelling_of(f.element), bits, block);
    recipes.push_back(recipe_of(words));
  }
  return recipes;
}

double over_floor(const error_figures& figures) {
  return figures.energy.sums.total / figures.floor();
}

ordered_json json_of(const at_precision& p) {
  const auto json = [](const tensor_kind& kind) {
    return ordered_json{{"name", kind.name},
                        {"sqnr_db", json_number(kind.sqnr_db())},
                        {"total", json_number(kind.energy.sums.total)},
                        {"over_floor", json_number(over_floor(kind))}};
  };
  return {{"fraction_bits", p.fraction_bits},
          {"kinds", json_array(p.kinds, json)},
          {"whole", json(p.whole)}};
}

std::string text_of(const std::vector<at_precision>& precisions) {
  std::string text = "fraction bits of the scale   SQNR, dB   error over its floor\n";
  for (const at_precision& p : precisions) {
    text += fmt::format("{:>26}{:>11.2f}{:>23.4f}\n", p.fraction_bits, p.whole.sqnr_db(),
                        over_floor(p.whole));
  }
  return text;
}

}  // namespace sim::cli
