// SPDX-License-Identifier: Apache-2.0
// sim/cli/verify/product_text.cpp: a verdict on a product, for people.
#include <fmt/format.h>

#include "golden/io/tensor.h"
#include "mx/element.h"
#include "mx/spelling.h"
#include "sim/cli/terminal/exact_text.h"
#include "sim/cli/terminal/terminal_text.h"
#include "sim/cli/verify/product_report.h"

namespace sim::cli {
namespace {

namespace validator = golden::validator;

std::string word_text(const mx::format& f, std::uint32_t code) {
  return fmt::format("0x{:0{}X} ({})", code, f.width() / 4, decimal_text(mx::decode(f, code)));
}

void print_inputs(const product_inputs& in) {
  const product_candidate& one = in.candidates[in.declared.value_or(0)];
  fmt::print("D: {} {} in {}, K = {}\n", golden::io::printable(in.kernel_out),
             golden::io::shape_text({in.place.m, in.place.n}), number_format_name(in.output),
             one.a->k);
  if (in.declared) fmt::print("declared: {}\n", one.entry->name);
}

void print_consistent(const product_inputs& in, const product_verdict& verdict) {
  bool any = false;
  for (std::size_t i = 0; i < in.candidates.size(); ++i) {
    if (!verdict.is_consistent(i)) continue;
    if (!any) fmt::print("consistent with every element:\n");
    any = true;
    const mx::named_model& entry = *in.candidates[i].entry;
    fmt::print("  {:<31} {}\n", entry.name, mx::name_of(entry.rests_on));
  }
  if (!any) fmt::print("consistent with every element: no model\n");
}

void print_excluded(const product_inputs& in, const product_verdict& verdict) {
  bool any = false;
  for (std::size_t i = 0; i < in.candidates.size(); ++i) {
    if (verdict.is_consistent(i)) continue;
    if (!any) fmt::print("excluded, by the first element that differs (row, column):\n");
    any = true;
    const mx::named_model& entry = *in.candidates[i].entry;
    const validator::product_comparison& c = verdict.comparisons[i];
    fmt::print("  {:<31} {}\n    ({}, {}): the model says {}, D has {}{}\n", entry.name,
               mx::name_of(entry.rests_on), c.first->row, c.first->column,
               word_text(in.output, c.first->expected), word_text(in.output, c.first->found),
               c.differs_in_nan_codes_only() ? "; only codes of NaN differ" : "");
  }
}

void print_apart(const product_inputs& in, const product_verdict& verdict) {
  std::size_t consistent = 0;
  for (const auto& c : verdict.comparisons) consistent += c.is_equal() ? 1U : 0U;
  if (consistent < 2) return;
  const std::vector<model_distinction> distinctions = distinctions_in(in, verdict);
  if (distinctions.empty()) {
    fmt::print("These {} models are one arithmetic: no operands tell them apart.\n", consistent);
    return;
  }
  fmt::print("These {} models agree on these operands. What tells others from {}:\n", consistent,
             distinctions.front().from);
  for (const model_distinction& d : distinctions) {
    const std::string words = fmt::format("{}: {}", d.model, fmt::join(d.data, "; "));
    fmt::print("  {}\n", wrapped(words, 4, 2));
  }
}

void print_explanation(const product_explanation& explanation, const char* head) {
  fmt::print("{}", head);
  for (std::size_t i = 0; i < explanation.size(); ++i) {
    const product_dimension& d = explanation[i];
    fmt::print("{} {}: {} instead of {}", i > 0 ? ";" : "", d.dimension, d.found, d.expected);
  }
  fmt::print("\n");
}

void print_breach(const char* head, const product_inputs& in, const validator::bound_breach& b) {
  fmt::print("  {} ({}, {}): D has {}", head, b.row, b.column, word_text(in.output, b.found));
  if (b.error.empty()) {
    fmt::print(", which these operands cannot give\n");
    return;
  }
  fmt::print("\n    exact {}\n    error {}\n    bound {}, exceeded {} times\n", b.exact, b.error,
             b.bound, b.times);
}

void print_bound(const product_inputs& in, const class_bound& bound) {
  const validator::product_errors& e = bound.errors;
  fmt::print("bound of the class of {}, in any order of K: {} of {} elements exceed it\n",
             bound.entry->name, e.exceeded, e.elements);
  if (e.without_bound > 0) {
    fmt::print("  {} may have overflowed, or have no bound\n", e.without_bound);
  }
  if (e.first) print_breach("first", in, *e.first);
  if (e.worst) print_breach("worst", in, *e.worst);
}

void print_mismatches(const product_inputs& in, const product_verdict& verdict) {
  if (!in.declared || verdict.kind == verdict_kind::exact) return;
  const validator::product_comparison& c = verdict.comparisons[*in.declared];
  fmt::print("{} of {} elements differ from the declared model{}\n", c.numbers + c.nan_codes,
             in.d.size(), c.differs_in_nan_codes_only() ? ", in the code of a NaN only" : "");
}

}  // namespace

void print_text(const product_inputs& in, const product_verdict& verdict) {
  print_inputs(in);
  print_consistent(in, verdict);
  print_excluded(in, verdict);
  print_apart(in, verdict);
  print_mismatches(in, verdict);
  const char* head = "explained by";
  for (const product_explanation& explanation : verdict.explanations) {
    print_explanation(explanation, head);
    head = "          or";
  }
  if (verdict.bound) print_bound(in, *verdict.bound);
  fmt::print("verdict: {}\n", name_of(verdict.kind));
}

}  // namespace sim::cli
