// SPDX-License-Identifier: Apache-2.0
// golden/validator/product/diagnosis_words.cpp: the text of a product's diagnosis.
#include "diagnosis_words.h"

#include <algorithm>

#include "mx/number/element.h"
#include "mx/spelling.h"

namespace golden::validator {
namespace {

std::string place_text(std::int64_t row, std::int64_t column) {
  return "(" + std::to_string(row) + ", " + std::to_string(column) + ")";
}

/// A model and its evidence, in columns.
std::string model_line(const judged_model& one) {
  constexpr std::size_t width = 32;
  std::string line = "  " + std::string(one.entry->name);
  line.resize(std::max(line.size() + 1, width + 2), ' ');
  return line + std::string(mx::name_of(one.entry->rests_on)) + "\n";
}

std::string input_lines(const product_diagnosis& d) {
  std::string text = "D: " + d.shown + (d.shown.empty() ? "[" : " [") + std::to_string(d.m) + ", " +
                     std::to_string(d.n) + "] in " + mx::number_format_name(d.output()) +
                     ", K = " + std::to_string(d.k) + "\n";
  if (d.declared) text += "declared: " + std::string(d.declared_model()->entry->name) + "\n";
  return text;
}

std::string consistent_lines(const product_diagnosis& d) {
  std::string models;
  for (const judged_model& one : d.models) {
    if (one.is_consistent()) models += model_line(one);
  }
  if (models.empty()) return "consistent with every element: no model\n";
  return "consistent with every element:\n" + models;
}

std::string excluded_lines(const product_diagnosis& d) {
  std::string text;
  for (const judged_model& one : d.models) {
    if (one.is_consistent()) continue;
    if (text.empty()) text = "excluded, by the first element that differs (row, column):\n";
    const product_difference& first = *one.found.first;
    text += model_line(one) + "    " + place_text(first.row, first.column) + ": the model says " +
            word_text(d.output(), first.expected) + ", D has " +
            word_text(d.output(), first.found) +
            (one.found.differs_in_nan_codes_only() ? "; only codes of NaN differ\n" : "\n");
  }
  return text;
}

std::string distinction_lines(const product_diagnosis& d, const line_breaks& broken) {
  const auto consistent = std::count_if(d.models.begin(), d.models.end(),
                                        [](const auto& one) { return one.is_consistent(); });
  if (consistent < 2) return {};
  const std::string these = "These " + std::to_string(consistent) + " models ";
  if (d.distinctions.empty()) return these + "are one arithmetic: no operands tell them apart.\n";
  std::string text = these + "agree on these operands. What tells others from " +
                     std::string(d.distinctions.front().from) + ":\n";
  for (const model_distinction& other : d.distinctions) {
    std::string line = std::string(other.model) + ": ";
    for (const std::string& data : other.data) {
      line += (&data == other.data.data() ? "" : "; ") + data;
    }
    text += "  " + broken(line) + "\n";
  }
  return text;
}

/// "3 of 64 elements"
std::string share_text(std::uint64_t part, std::uint64_t whole) {
  return std::to_string(part) + " of " + std::to_string(whole) + " elements";
}

std::string mismatch_line(const product_diagnosis& d) {
  if (!d.declared || d.verdict == verdict::exact) return {};
  const product_comparison& c = d.declared_model()->found;
  return share_text(c.mismatches(), d.elements()) + " differ from the declared model" +
         (c.differs_in_nan_codes_only() ? ", in the code of a NaN only\n" : "\n");
}

std::string breach_lines(const char* head, const mx::format& f, const bound_breach& b) {
  const std::string where = std::string("  ") + head + " " + place_text(b.row, b.column) +
                            ": D has " + word_text(f, b.found);
  if (b.error.empty()) return where + ", which these operands cannot give\n";
  return where + "\n    exact " + b.exact + "\n    error " + b.error + "\n    bound " + b.bound +
         ", exceeded " + std::to_string(b.times) + " times\n";
}

std::string bound_lines(const mx::format& f, const class_bound& bound) {
  const product_errors& e = bound.errors;
  std::string text = "bound of the class of " + std::string(bound.entry->name) +
                     ", in any order of K: " + share_text(e.exceeded, e.elements) + " exceed it\n";
  if (e.without_bound > 0) {
    text += "  " + std::to_string(e.without_bound) + " may have overflowed, or have no bound\n";
  }
  if (e.first) text += breach_lines("first", f, *e.first);
  if (e.worst) text += breach_lines("worst", f, *e.worst);
  return text;
}

}  // namespace

std::string code_text(const mx::format& f, std::uint32_t code) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string text = "0x";
  for (int shift = f.width() - 4; shift >= 0; shift -= 4) text += digits[code >> shift & 0xFU];
  return text;
}

std::string word_text(const mx::format& f, std::uint32_t code) {
  return code_text(f, code) + " (" + mx::decimal_text(mx::to_binary32(mx::decode(f, code))) + ")";
}

std::string explanation_text(const product_explanation& explanation) {
  std::string text;
  for (const change& c : explanation.changes) {
    if (!text.empty()) text += "; ";
    text += std::string(c.dimension) + ": " + c.found + " instead of " + c.expected;
  }
  return text;
}

failure_words words_failure_of(const product_diagnosis& d) {
  const judged_model& expected = d.models[d.expected];
  const product_difference& first = *expected.found.first;
  const std::string head = d.declared
                               ? share_text(expected.found.mismatches(), d.elements()) + " differ"
                               : std::string("no model computes every element");
  return {head + "; " +
              (d.explanations.empty() ? "unexplained" : explanation_text(d.explanations.front())),
          place_text(first.row, first.column) + ": " + std::string(expected.entry->name) +
              " says " + word_text(d.output(), first.expected) + ", D has " +
              word_text(d.output(), first.found)};
}

failure_words bound_failure_of(const product_diagnosis& d) {
  const product_errors& e = d.bound->errors;
  const bound_breach& b = *e.first;
  std::string details = place_text(b.row, b.column) + ": D has " + word_text(d.output(), b.found);
  if (!b.error.empty()) details += "; error " + b.error + ", bound " + b.bound;
  return {share_text(e.exceeded, e.elements) + " exceed the bound of the class", details};
}

std::string report_text(const product_diagnosis& d, const line_breaks& broken) {
  std::string text = input_lines(d) + consistent_lines(d) + excluded_lines(d) +
                     distinction_lines(d, broken) + mismatch_line(d);
  const char* head = "explained by ";
  for (const product_explanation& explanation : d.explanations) {
    text += head + explanation_text(explanation) + "\n";
    head = "          or ";
  }
  if (d.bound) text += bound_lines(d.output(), *d.bound);
  return text + "verdict: " + std::string(name_of(d.verdict)) + "\n";
}

}  // namespace golden::validator
