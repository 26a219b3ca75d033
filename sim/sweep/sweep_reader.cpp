// SPDX-License-Identifier: Apache-2.0
// sim/sweep/sweep_reader.cpp: see sweep_reader.h.
#include "sim/sweep/sweep_reader.h"

#include <algorithm>
#include <array>

#include "golden/io/file.h"
#include "sim/study/listed_keys.h"
#include "sim/study/sha256.h"
#include "sim/study/study_file.h"
#include "sim/study/toml_text.h"
#include "sim/sweep/axis_reader.h"
#include "sim/sweep/input_metrics.h"
#include "sim/sweep/input_reader.h"
#include "sim/sweep/measure_reader.h"

namespace sim {
namespace {

constexpr std::array search_words{word{sweep_search::grid, "grid"},
                                  word{sweep_search::random, "random"},
                                  word{sweep_search::halving, "halving"}};
constexpr std::array invalid_words{word{invalid_points::skip, "skip"},
                                   word{invalid_points::refuse, "refuse"}};
constexpr real above_0_to_1{"a number above 0 and below 1",
                            [](double v) { return v > 0 && v < 1; }};

void read_halving(table_reader& root, sweep_study& s) {
  const toml::node* node = root.find("halving");
  s.halving.objective = usual_metric(s);
  if (node == nullptr) return;
  if (s.search != sweep_search::halving) {
    root.refuse("halving", "has no effect without search = \"halving\"");
  }
  table_reader at = root.open("halving", *node);
  s.halving.objective = read_metric(at, "objective", s);
  at.value("keep", s.halving.keep, above_0_to_1);
  at.value("rounds", s.halving.rounds, whole{1, 16});
  at.finish();
}

void read_constraints(table_reader& root, sweep_study& s) {
  for (const std::string& text : texts_in(root, "constraints")) {
    s.constraints.push_back(read_condition(root, "constraints", text));
    for (const comparison& c : s.constraints.back().all) {
      if (std::ranges::find(sweep_costs, c.name) != sweep_costs.end()) continue;
      if (std::ranges::find(axis_names(), c.name) != axis_names().end()) continue;
      if (metric_named(c.name)) {
        root.refuse("constraints",
                    fmt::format("'{}': {} is measured, and constraints choose the points before; "
                                "the page's filter compares it",
                                text, c.name));
      }
      root.refuse(
          "constraints",
          fmt::format("'{}': {} is no axis, and neither bits, gates nor depth", text, c.name));
    }
  }
}

void read_page(table_reader& root, sweep_study& s) {
  const toml::node* cost = root.find("page_cost");
  const std::vector<std::string_view> costs(sweep_costs.begin(), sweep_costs.end());
  if (cost != nullptr) s.page_cost = costs[root.index_of_word("page_cost", *cost, costs)];
  s.page_metric = read_metric(root, "page_metric", s);
}

void read_choice(table_reader& root, sweep_study& s) {
  root.word("search", s.search, search_words);
  root.word("invalid", s.invalid, invalid_words);
  root.value("seed", s.seed);
  root.value("points", s.points, whole{1, static_cast<std::int64_t>(most_points)});
  if ((s.search == sweep_search::random) != (s.points > 0)) {
    root.refuse("points", "search = \"random\" and points = N belong together");
  }
}

}  // namespace

sweep_study sweep_in(const std::string& text, const std::string& name) {
  const toml::table tree = toml_in(text, name);
  table_reader root(tree, "");
  sweep_study s;
  s.hash = sha256_of(text);
  root.value("name", s.name);
  read_choice(root, s);
  read_inputs(root, s);
  read_measures(root, s);
  read_halving(root, s);
  read_page(root, s);
  read_constraints(root, s);
  for (table_reader& at : tables_in(root, "grid")) s.grids.push_back(read_grid(at));
  if (s.grids.empty()) root.fail("grid", "at least one [[grid]] with axes", "none");
  root.finish();
  return s;
}

sweep_study read_sweep(const std::filesystem::path& file) {
  return sweep_in(golden::io::read_text(file.string()), file.string());
}

}  // namespace sim
