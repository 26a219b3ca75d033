// SPDX-License-Identifier: Apache-2.0
// sim/cli/probe/product_read.cpp: the verdict of `verify --gemm`, with no model declared, as a
// card.
#include "sim/cli/probe/probe_work.h"

#include <fmt/format.h>

#include "golden/io/tensor_file.h"
#include "sim/cli/quantize/coded_notes.h"
#include "sim/cli/terminal/terminal_text.h"
#include "sim/cli/verify/product_report.h"

namespace sim::cli {
namespace {

constexpr std::size_t value_column = 20;

/// Consistent models, grouped by arithmetic.
std::vector<std::vector<const mx::named_model*>> consistent_in(const product_diagnosis& d) {
  std::vector<std::vector<const mx::named_model*>> all;
  for (std::size_t i = 0; i < d.models.size(); ++i) {
    if (!d.models[i].is_consistent() || d.models[i].same_as != i) continue;
    all.emplace_back();
    for (const golden::validator::judged_model& one : d.models) {
      if (one.same_as == i) all.back().push_back(one.entry);
    }
  }
  return all;
}

std::string_view known_word(std::size_t arithmetics) {
  if (arithmetics == 0) return "unknown";
  return arithmetics == 1 ? "told" : "several";
}

void print_line(const std::string& head, const std::string& text) {
  fmt::print("{}{}\n", cell(head, 0, value_column), wrapped(text, value_column, value_column));
}

void print_card(const product_diagnosis& d) {
  const auto arithmetics = consistent_in(d);
  fmt::print("{} ({}, {}), K = {}: {}\n", d.shown, d.m, d.n, d.k,
             d.verdict == golden::validator::verdict::unexplained
                 ? "no known accumulator gives every bit"
                 : "a known accumulator gives every bit");
  for (const auto& models : arithmetics) {
    std::string names;
    for (const mx::named_model* m : models) {
      names +=
          fmt::format("{}{} ({})", names.empty() ? "" : ", ", m->name, mx::name_of(m->rests_on));
    }
    print_line(&models == &arithmetics.front() ? "accumulator" : "  or", names);
  }
  if (arithmetics.empty()) print_line("accumulator", "unknown: every model is excluded");
  for (const golden::validator::model_distinction& one : d.distinctions) {
    print_line("undecided", fmt::format("{} or {}; distinguished by: {}", one.model, one.from,
                                        fmt::join(one.data, "; ")));
  }
  for (const golden::validator::product_explanation& e : d.explanations) {
    for (const golden::validator::change& one : e.changes)
      print_line(std::string(one.dimension), one.found);
  }
}

/// Reads operands without scales as plain numbers, unless the options say otherwise.
void read_as_they_are(const product_options& o, verify_request& request) {
  const golden::io::tensor_file a = golden::io::load(o.gemm.at(0));
  const bool plain = note(a, "probe") != nullptr && a.find("codes") == nullptr;
  if (plain && !request.rules.format) request.rules.format = "none";
}

}  // namespace

int read_product_probe(const product_options& o, verify_request request) {
  read_as_they_are(o, request);
  const product_files files = product_files_of(o, request);
  const product_diagnosis found = diagnose(files.inputs());
  if (request.form == output::json) {
    const auto arithmetics = consistent_in(found);
    const auto name = [](const mx::named_model* m) { return m->name; };
    ordered_json json = json_of(found);
    json["accumulator"] = {{"known", known_word(arithmetics.size())},
                           {"values", json_array(arithmetics, [&](const auto& models) {
                              return json_array(models, name);
                            })}};
    print_json(json);
  } else {
    print_card(found);
  }
  return found.verdict == golden::validator::verdict::unexplained ? exit_status::difference
                                                                  : exit_status::done;
}

}  // namespace sim::cli
