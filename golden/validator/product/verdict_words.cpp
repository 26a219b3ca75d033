// SPDX-License-Identifier: Apache-2.0
// golden/validator/product/verdict_words.cpp: the text of a verdict on a product.
#include "verdict_words.h"

#include <algorithm>

#include "distinction.h"
#include "mx/number/element.h"
#include "mx/spelling.h"

namespace golden::validator {
namespace {

/// A code with all the digits of its format.
std::string code_text(const mx::format& f, std::uint32_t code) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string text = "0x";
  for (int shift = f.width() - 4; shift >= 0; shift -= 4) text += digits[code >> shift & 0xFU];
  return text;
}

std::string place_text(std::int64_t row, std::int64_t column) {
  return "(" + std::to_string(row) + ", " + std::to_string(column) + ")";
}

/// A model and its evidence, in columns.
std::string model_line(const product_candidate& one) {
  constexpr std::size_t width = 32;
  std::string line = "  " + std::string(one.entry->name);
  line.resize(std::max(line.size() + 1, width + 2), ' ');
  return line + std::string(mx::name_of(one.entry->rests_on)) + "\n";
}

mx::format output_of(const product_inputs& in) { return in.candidates.front().plan.output; }

std::string input_lines(const product_inputs& in, const verdict_telling& how) {
  const product_candidate& one = in.candidates[in.declared.value_or(0)];
  const mx::gemm_shape& shape = one.shape;
  std::string text = "D: " + how.name + (how.name.empty() ? "[" : " [") + std::to_string(shape.m) +
                     ", " + std::to_string(shape.n) + "] in " +
                     mx::number_format_name(output_of(in)) + ", K = " + std::to_string(how.k) +
                     "\n";
  if (in.declared) text += "declared: " + std::string(one.entry->name) + "\n";
  return text;
}

std::string consistent_lines(const product_inputs& in, const product_verdict& verdict) {
  std::string models;
  for (std::size_t i = 0; i < in.candidates.size(); ++i) {
    if (verdict.is_consistent(i)) models += model_line(in.candidates[i]);
  }
  if (models.empty()) return "consistent with every element: no model\n";
  return "consistent with every element:\n" + models;
}

std::string excluded_lines(const product_inputs& in, const product_verdict& verdict) {
  std::string text;
  for (std::size_t i = 0; i < in.candidates.size(); ++i) {
    if (verdict.is_consistent(i)) continue;
    if (text.empty()) text = "excluded, by the first element that differs (row, column):\n";
    const product_comparison& c = verdict.comparisons[i];
    text += model_line(in.candidates[i]) + "    " + place_text(c.first->row, c.first->column) +
            ": the model says " + word_text(output_of(in), c.first->expected) + ", D has " +
            word_text(output_of(in), c.first->found) +
            (c.differs_in_nan_codes_only() ? "; only codes of NaN differ\n" : "\n");
  }
  return text;
}

std::string distinction_lines(const product_inputs& in, const product_verdict& verdict,
                              const verdict_telling& how) {
  const auto consistent = std::count_if(verdict.comparisons.begin(), verdict.comparisons.end(),
                                        [](const auto& c) { return c.is_equal(); });
  if (consistent < 2) return {};
  const std::vector<model_distinction> distinctions = distinctions_in(in, verdict);
  const std::string these = "These " + std::to_string(consistent) + " models ";
  if (distinctions.empty()) return these + "are one arithmetic: no operands tell them apart.\n";
  std::string text = these + "agree on these operands. What tells others from " +
                     std::string(distinctions.front().from) + ":\n";
  for (const model_distinction& d : distinctions) {
    std::string line = std::string(d.model) + ": ";
    for (const std::string& data : d.data) line += (&data == d.data.data() ? "" : "; ") + data;
    text += "  " + how.broken(line) + "\n";
  }
  return text;
}

std::string mismatch_line(const product_inputs& in, const product_verdict& verdict) {
  if (!in.declared || verdict.kind == verdict::exact) return {};
  const product_comparison& c = verdict.comparisons[*in.declared];
  return std::to_string(c.numbers + c.nan_codes) + " of " + std::to_string(in.d.size()) +
         " elements differ from the declared model" +
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
                     ", in any order of K: " + std::to_string(e.exceeded) + " of " +
                     std::to_string(e.elements) + " elements exceed it\n";
  if (e.without_bound > 0) {
    text += "  " + std::to_string(e.without_bound) + " may have overflowed, or have no bound\n";
  }
  if (e.first) text += breach_lines("first", f, *e.first);
  if (e.worst) text += breach_lines("worst", f, *e.worst);
  return text;
}

}  // namespace

std::vector<model_distinction> distinctions_in(const product_inputs& in,
                                               const product_verdict& verdict) {
  std::vector<std::size_t> consistent;
  for (std::size_t i = 0; i < in.candidates.size(); ++i) {
    if (verdict.is_consistent(i)) consistent.push_back(i);
  }
  std::vector<model_distinction> all;
  if (consistent.empty()) return all;
  const bool declared = in.declared && verdict.is_consistent(*in.declared);
  const product_candidate& from = in.candidates[declared ? *in.declared : consistent.front()];
  for (const std::size_t i : consistent) {
    const product_candidate& one = in.candidates[i];
    if (one.same_as != i || one.same_as == from.same_as) continue;
    all.push_back(
        {one.entry->name, from.entry->name, telling_data(one.plan.model, from.plan.model)});
  }
  return all;
}

std::string word_text(const mx::format& f, std::uint32_t code) {
  return code_text(f, code) + " (" + mx::decimal_text(mx::to_binary32(mx::decode(f, code))) + ")";
}

std::string explanation_text(const product_explanation& explanation) {
  std::string text;
  for (const product_dimension& d : explanation.dimensions) {
    if (!text.empty()) text += "; ";
    text += d.dimension + ": " + d.found + " instead of " + d.expected;
  }
  return text;
}

std::string report_text(const product_inputs& in, const product_verdict& verdict,
                        const verdict_telling& how) {
  std::string text = input_lines(in, how) + consistent_lines(in, verdict) +
                     excluded_lines(in, verdict) + distinction_lines(in, verdict, how) +
                     mismatch_line(in, verdict);
  const char* head = "explained by ";
  for (const product_explanation& explanation : verdict.explanations) {
    text += head + explanation_text(explanation) + "\n";
    head = "          or ";
  }
  if (verdict.bound) text += bound_lines(output_of(in), *verdict.bound);
  return text + "verdict: " + std::string(name_of(verdict.kind)) + "\n";
}

}  // namespace golden::validator
