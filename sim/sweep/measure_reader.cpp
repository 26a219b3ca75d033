// SPDX-License-Identifier: Apache-2.0
// sim/sweep/measure_reader.cpp: see measure_reader.h.
#include "sim/sweep/measure_reader.h"

#include <algorithm>
#include <array>

#include "sim/sweep/input_metrics.h"

namespace sim {
namespace {

constexpr std::array measure_words{
    word{sweep_measure::total, "total"}, word{sweep_measure::components, "components"},
    word{sweep_measure::product, "product"}, word{sweep_measure::frozen, "frozen"},
    word{sweep_measure::training, "training"}};

bool is_policy(const sweep_input& in) { return in.policy.has_value(); }

std::vector<sweep_measure> usual_measures(const sweep_study& s) {
  std::vector<sweep_measure> measures;
  if (!std::ranges::all_of(s.inputs, is_policy)) {
    measures = {sweep_measure::total, sweep_measure::components};
  }
  if (std::ranges::any_of(s.inputs, is_policy)) measures.push_back(sweep_measure::frozen);
  return measures;
}

void expect_given(const table_reader& root, const sweep_study& s) {
  for (const sweep_measure m : s.measures) {
    const auto gives = [&](const sweep_input& in) { return is_policy(in) == is_of_policies(m); };
    if (std::ranges::any_of(s.inputs, gives)) continue;
    root.refuse("measures",
                fmt::format("\"{}\" is measured on {}, and no [[input]] is one; add one, or leave "
                            "the measure out",
                            text_of(measure_words, m),
                            is_of_policies(m) ? "a policy (policy = \"STUDY.toml\")"
                                              : "numbers (file or law)"));
  }
}

void expect_measured(const table_reader& root, const sweep_study& s) {
  for (const sweep_input& in : s.inputs) {
    if (!measures_on(s, in).empty()) continue;
    root.refuse("measures",
                fmt::format("none of them is for the input {}, which is {}; add one, or "
                            "leave the input out",
                            in.name,
                            is_policy(in) ? "a policy: \"frozen\" or \"training\""
                                          : "numbers: \"total\", \"components\" or \"product\""));
  }
}

/// Keys of a policy that are about a measure that the sweep lacks.
void expect_effects(const table_reader& root, const sweep_study& s) {
  for (const sweep_input& in : s.inputs) {
    if (!in.policy) continue;
    const bool unread = !in.policy->texts.empty() && !s.measures_what(sweep_measure::frozen);
    const bool untrained = in.policy->steps > 0 && !s.measures_what(sweep_measure::training);
    if (!unread && !untrained) continue;
    root.refuse("measures",
                fmt::format("without \"{}\" the key {} of the input {} has no effect; "
                            "add the measure, or remove the key",
                            unread ? "frozen" : "training", unread ? "texts" : "steps", in.name));
  }
}

void read_product(table_reader& root, sweep_study& s) {
  const toml::node* node = root.find("product");
  if ((node != nullptr) != s.measures_what(sweep_measure::product)) {
    root.refuse("product", "the measure \"product\" and the table [product] belong together");
  }
  if (node == nullptr) return;
  table_reader at = root.open("product", *node);
  s.product = {64, 64, 1024, ""};
  at.value("m", s.product.m, whole{1, 1 << 14});
  at.value("n", s.product.n, whole{1, 1 << 14});
  at.value("k", s.product.k, whole{1, 1 << 20});
  at.value("other", s.product.other);
  at.finish();
  if (s.product.other.empty()) return;
  const auto other = std::ranges::find(s.inputs, s.product.other, &sweep_input::name);
  if (other == s.inputs.end()) {
    at.refuse("other", fmt::format("there is no input {}", s.product.other));
  }
  if (is_policy(*other)) {
    at.refuse("other", fmt::format("the input {} is a policy, and has no rows; name numbers",
                                   s.product.other));
  }
}

}  // namespace

void read_measures(table_reader& root, sweep_study& s) {
  s.measures = usual_measures(s);
  if (const toml::node* node = root.find("measures")) {
    s.measures.clear();
    root.each_word("measures", *node, "words", measure_words,
                   [&](sweep_measure what) { s.measures.push_back(what); });
    if (s.measures.empty()) root.refuse("measures", "measures nothing: name total, or remove it");
  }
  expect_given(root, s);
  expect_measured(root, s);
  expect_effects(root, s);
  read_product(root, s);
}

std::string read_metric(table_reader& at, std::string_view key, const sweep_study& s) {
  const toml::node* node = at.find(key);
  if (node == nullptr) return std::string(usual_metric(s));
  std::vector<std::string_view> names;
  for (const sweep_metric& m : sweep_metrics) {
    if (m.best != sweep_metric::better::neither) names.push_back(m.name);
  }
  const std::string_view name = names[at.index_of_word(key, *node, names)];
  const sweep_metric& metric = sweep_metrics[*metric_named(name)];
  const auto has = [&](const sweep_input& in) { return has_metric(s, in, metric); };
  if (std::ranges::any_of(s.inputs, has)) return std::string(name);
  at.refuse(key, fmt::format("{} is given by the measure \"{}\", which this sweep lacks on its "
                             "inputs; add it to measures, or name another metric",
                             name, text_of(measure_words, metric.of)));
}

}  // namespace sim
