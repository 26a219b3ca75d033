// SPDX-License-Identifier: Apache-2.0
// sim/sweep/axis_reader.cpp: see axis_reader.h.
#include "sim/sweep/axis_reader.h"

#include <algorithm>

#include "sim/sweep/sum_fields.h"
#include "sim/sweep/sweep_point.h"
#include "sim/sweep/sweep_reader.h"

namespace sim {
namespace {

/// A scalar as the word that a point has.
std::optional<std::string> word_of(const toml::node& node) {
  if (node.is_string()) return **node.as_string();
  if (node.is_integer()) return fmt::format("{}", **node.as_integer());
  if (node.is_floating_point()) return fmt::format("{}", **node.as_floating_point());
  if (node.is_boolean()) return **node.as_boolean() ? "true" : "false";
  return {};
}

std::vector<std::string> words_of_list(const table_reader& at, std::string_view key,
                                       const toml::node& node) {
  std::vector<std::string> words;
  for (const toml::node& element : at.array(key, node, "values")) {
    const auto word = word_of(element);
    if (!word) at.fail(key, element, "strings, numbers or true and false");
    if (std::ranges::find(words, *word) != words.end()) {
      at.refuse(key, fmt::format("the value {} is listed twice", *word));
    }
    words.push_back(*word);
  }
  if (words.empty()) at.refuse(key, "an axis without values: name at least one, or remove it");
  return words;
}

std::vector<std::string> words_of_range(table_reader& at) {
  constexpr whole any{-(1 << 30), 1 << 30};
  int from = 0, to = 0, step = 0, factor = 0;
  at.value("from", from, any);
  at.value("to", to, any);
  at.value("step", step, whole{1, 1 << 30});
  at.value("factor", factor, whole{2, 1 << 30});
  if ((step > 0) == (factor > 0)) at.refuse("from", "a range has a step or a factor, one of them");
  if (factor > 0 && from < 1) at.refuse("from", "a range by a factor begins at 1 or above");
  if (to < from) at.refuse("to", fmt::format("the range from {} to {} is empty", from, to));
  std::vector<std::string> words;
  for (std::int64_t v = from; v <= to; v = factor > 0 ? v * factor : v + step) {
    if (words.size() >= most_points) at.refuse("to", "a range of more than a million values");
    words.push_back(fmt::format("{}", v));
  }
  return words;
}

sweep_axis read_axis(const table_reader& at, std::string_view key, const toml::node& node) {
  sweep_axis axis{std::string(key), {}, {}};
  if (const auto word = word_of(node)) {
    axis.values = {*word};
  } else if (node.is_array()) {
    axis.values = words_of_list(at, key, node);
  } else {
    table_reader inner = at.open(key, node);
    std::string when;
    inner.value("when", when);
    if (!when.empty()) axis.when = read_condition(inner, "when", when);
    if (const toml::node* values = inner.find("values")) {
      axis.values = words_of_list(inner, "values", *values);
    } else {
      axis.values = words_of_range(inner);
    }
    inner.finish();
  }
  return axis;
}

/// A condition may name axes that come later: all that the grid has.
void expect_known_conditions(const table_reader& at, const sweep_grid& grid) {
  for (const sweep_axis& axis : grid.axes) {
    for (const comparison& c : axis.when.all) {
      const auto named = [&](const sweep_axis& a) { return a.name == c.name && !(&a == &axis); };
      if (std::ranges::any_of(grid.axes, named)) continue;
      at.refuse(axis.name, fmt::format("its condition '{}' names {}, which is no other axis of "
                                       "this grid",
                                       axis.when.text, c.name));
    }
  }
}

}  // namespace

const std::vector<std::string_view>& axis_names() {
  static const std::vector<std::string_view> all = [] {
    std::vector<std::string_view> names(recipe_axes.begin(), recipe_axes.end());
    for (const std::string_view name : sum_field_names()) names.push_back(name);
    return names;
  }();
  return all;
}

condition read_condition(const table_reader& at, std::string_view key, const std::string& text) {
  try {
    return condition_in(text);
  } catch (const input_error& wrong) {
    at.refuse(key, wrong.what());
  }
}

sweep_grid read_grid(table_reader& at) {
  sweep_grid grid;
  for (const std::string_view name : axis_names()) {
    if (const toml::node* node = at.find(name)) grid.axes.push_back(read_axis(at, name, *node));
  }
  at.finish();
  expect_known_conditions(at, grid);
  return grid;
}

}  // namespace sim
