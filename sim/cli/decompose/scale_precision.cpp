// SPDX-License-Identifier: Apache-2.0
// sim/cli/decompose/scale_precision.cpp: see scale_precision.h.
#include "sim/cli/decompose/scale_precision.h"

#include <fmt/format.h>

#include "mx/spelling.h"
#include "sim/cli/rules/chosen_recipe.h"

namespace sim::cli {
namespace {

/// Whether a rule gives powers of two under scales with fraction bits too: rceil and floor6 do not.
bool ignores_fraction_bits(mx::scale_rule rule) {
  using enum mx::scale_rule;
  return rule == quest || (mx::is_power_of_two_rule(rule) && rule != rceil && rule != floor6);
}

void expect_use_of_bits(mx::scale_rule rule) {
  if (!ignores_fraction_bits(rule)) return;
  throw usage_error(
      "decompose: --scale-precision: scale rule {} gives powers of two under every precision, so "
      "that fraction bits change nothing; expected a rule such as rceil or ideal",
      mx::name_in(mx::scale_rule_table, rule));
}

}  // namespace

std::vector<mx::recipe> recipes_of_precisions(const mx::recipe& r, rule_origin origin, int last) {
  const mx::block_format& f = r.format();
  if (f.scale != mx::formats::e8m0 || f.precision != mx::scale_precision::stored ||
      f.has_tensor_scale()) {
    throw usage_error(
        "decompose: --scale-precision adds fraction bits to E8M0, and scales of {} are others; "
        "expected a format such as mxfp4",
        mx::format_word(r));
  }
  if (origin == rule_origin::given) expect_use_of_bits(r.rules.rule);
  std::vector<mx::recipe> recipes{r};
  mx::recipe_words words = mx::words_of(r);
  if (origin == rule_origin::by_default) words.scale_rule = std::nullopt;
  const std::string block =
      f.rows == 1 ? fmt::format("{}", f.columns) : fmt::format("{}x{}", f.rows, f.columns);
  for (int bits = 1; bits <= last; ++bits) {
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
    text += fmt::format("{:>26}{}{}\n", p.fraction_bits, shown_figure(p.whole.sqnr_db(), 11, 2),
                        shown_figure(over_floor(p.whole), 23, 4));
  }
  return text;
}

}  // namespace sim::cli
