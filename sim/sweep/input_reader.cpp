// SPDX-License-Identifier: Apache-2.0
// sim/sweep/input_reader.cpp: see input_reader.h.
#include "sim/sweep/input_reader.h"

#include <array>
#include <set>

#include "sim/study/listed_keys.h"

namespace sim {
namespace {

constexpr std::array law_words{
    word{input_law::gaussian, "gaussian"}, word{input_law::laplace, "laplace"},
    word{input_law::student_t, "student-t"}, word{input_law::outlier_channels, "outlier-channels"}};
constexpr real above_0{"a number above 0", [](double v) { return v > 0; }};
constexpr whole any_count{1, 1 << 30};

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

void read_numbers(table_reader& at, sweep_input& in) {
  at.file("file", in.file);
  in.tensors = texts_in(at, "tensors");
  if (!in.file.empty()) {
    in.law = input_law::file;
  } else if (!in.tensors.empty()) {
    at.refuse("tensors", "chooses tensors of a file: add the key file");
  } else {
    static_cast<void>(
        required(at, "law", "file = \"...\", a law of random numbers, or policy = \"STUDY.toml\""));
    read_drawn(at, in);
  }
}

void read_policy(table_reader& at, input_policy& p) {
  at.file("policy", p.study);
  at.file("texts", p.texts);
  for (const char* key : {"tokens", "batch"}) {
    if (p.texts.empty() && at.find(key) != nullptr) {
      at.refuse(key, "is about texts: add the key texts, or remove it");
    }
  }
  at.value("tokens", p.tokens, any_count);
  at.value("batch", p.batch, whole{1, 65536});
  at.value("steps", p.steps, any_count);
}

sweep_input read_input(table_reader& at) {
  sweep_input in;
  static_cast<void>(required(at, "name", "a name for tables and charts"));
  at.value("name", in.name);
  at.value("role", in.role);
  if (at.find("policy") != nullptr) {
    read_policy(at, in.policy.emplace());
  } else {
    read_numbers(at, in);
  }
  at.finish();
  return in;
}

}  // namespace

std::vector<table_reader> tables_in(table_reader& at, std::string_view key) {
  std::vector<table_reader> result;
  const toml::node* node = at.find(key);
  if (node == nullptr) return result;
  for (const toml::node& table : at.array(key, *node, "tables")) {
    result.push_back(at.open(key, table));
  }
  return result;
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

}  // namespace sim
