// SPDX-License-Identifier: Apache-2.0
// sim/sweep/sweep_reader.cpp: see sweep_reader.h.
#include "sim/sweep/sweep_reader.h"

#include <algorithm>
#include <array>
#include <set>

#include "golden/io/file.h"
#include "sim/study/listed_keys.h"
#include "sim/study/sha256.h"
#include "sim/study/study_file.h"
#include "sim/study/toml_text.h"
#include "sim/sweep/axis_reader.h"
#include "sim/sweep/sweep_row.h"

namespace sim {
namespace {

constexpr std::array law_words{
    word{input_law::gaussian, "gaussian"}, word{input_law::laplace, "laplace"},
    word{input_law::student_t, "student-t"}, word{input_law::outlier_channels, "outlier-channels"}};
constexpr std::array search_words{word{sweep_search::grid, "grid"},
                                  word{sweep_search::random, "random"},
                                  word{sweep_search::halving, "halving"}};
constexpr std::array invalid_words{word{invalid_points::skip, "skip"},
                                   word{invalid_points::refuse, "refuse"}};
constexpr std::array measure_words{word{sweep_measure::total, "total"},
                                   word{sweep_measure::components, "components"},
                                   word{sweep_measure::product, "product"}};
constexpr real above_0_to_1{"a number above 0 and below 1",
                            [](double v) { return v > 0 && v < 1; }};
constexpr real above_0{"a number above 0", [](double v) { return v > 0; }};

/// The tables of an array of tables; none where the key is absent.
std::vector<table_reader> tables_in(table_reader& at, std::string_view key) {
  std::vector<table_reader> result;
  const toml::node* node = at.find(key);
  if (node == nullptr) return result;
  for (const toml::node& table : at.array(key, *node, "tables")) {
    result.push_back(at.open(key, table));
  }
  return result;
}

void read_drawn(table_reader& at, sweep_input& in) {
  at.word("law", in.law, law_words);
  at.value("seed", in.seed);
  at.value("rows", in.rows, whole{1, 1 << 24});
  at.value("columns", in.columns, whole{1, 1 << 24});
  if (static_cast<std::int64_t>(in.rows) * in.columns > std::int64_t{1} << 31) {
    at.refuse("rows", "rows times columns are more than 2^31 numbers");
  }
  at.value("deviation", in.deviation, above_0);
  if (in.law == input_law::student_t) at.value("degrees", in.degrees, whole{1, 100});
  if (in.law != input_law::outlier_channels) return;
  at.value("columns_a_channel", in.columns_a_channel, whole{1, 1 << 24});
  at.value("factor", in.factor, above_0);
}

sweep_input read_input(table_reader& at) {
  sweep_input in;
  static_cast<void>(required(at, "name", "a name for tables and charts"));
  at.value("name", in.name);
  at.value("role", in.role);
  at.file("file", in.file);
  in.tensors = texts_in(at, "tensors");
  if (!in.file.empty()) {
    in.law = input_law::file;
  } else if (!in.tensors.empty()) {
    at.refuse("tensors", "chooses tensors of a file: add the key file");
  } else {
    static_cast<void>(required(at, "law", "file = \"...\", or a law of random numbers"));
    read_drawn(at, in);
  }
  at.finish();
  return in;
}

void read_inputs(table_reader& root, sweep_study& s) {
  std::set<std::string> names;
  for (table_reader& at : tables_in(root, "input")) {
    s.inputs.push_back(read_input(at));
    if (names.insert(s.inputs.back().name).second) continue;
    at.refuse("name", fmt::format("two inputs are named {}", s.inputs.back().name));
  }
  if (s.inputs.empty()) root.fail("input", "at least one [[input]]", "none");
}

void read_measures(table_reader& root, sweep_study& s) {
  const toml::node* node = root.find("measures");
  s.measures = {sweep_measure::total, sweep_measure::components};
  if (node == nullptr) return;
  s.measures.clear();
  root.each_word("measures", *node, "words", measure_words,
                 [&](sweep_measure what) { s.measures.push_back(what); });
  if (s.measures.empty()) root.refuse("measures", "measures nothing: name total, or remove it");
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
  const auto named = [&](const sweep_input& in) { return in.name == s.product.other; };
  if (!s.product.other.empty() && std::ranges::none_of(s.inputs, named)) {
    at.refuse("other", fmt::format("there is no input {}", s.product.other));
  }
}

/// A metric in which one of two values is the better one.
std::string read_metric(table_reader& at, std::string_view key, std::string usual) {
  std::vector<std::string_view> names;
  for (const sweep_metric& m : sweep_metrics) {
    if (m.best != sweep_metric::better::neither) names.push_back(m.name);
  }
  const toml::node* node = at.find(key);
  return node == nullptr ? std::move(usual)
                         : std::string(names[at.index_of_word(key, *node, names)]);
}

void read_halving(table_reader& root, sweep_study& s) {
  const toml::node* node = root.find("halving");
  if (node == nullptr) return;
  if (s.search != sweep_search::halving) {
    root.refuse("halving", "has no effect without search = \"halving\"");
  }
  table_reader at = root.open("halving", *node);
  s.halving.objective = read_metric(at, "objective", s.halving.objective);
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
  s.page_metric = read_metric(root, "page_metric", s.page_metric);
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
  read_measures(root, s);
  read_inputs(root, s);
  read_product(root, s);
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
