// SPDX-License-Identifier: Apache-2.0
// golden/validator/product/verdict.cpp: the models that may have computed a kernel's product.
#include "verdict.h"

#include <algorithm>

#include "plan.h"

namespace golden::validator {
namespace {

/// Compares every candidate with D, each arithmetic once. The declared one counts all differences.
std::vector<product_comparison> comparisons_of(const product_inputs& in,
                                               const verdict_watch& watch) {
  std::vector<product_comparison> all;
  for (std::size_t i = 0; i < in.candidates.size(); ++i) {
    const product_candidate& one = in.candidates[i];
    const bool again = one.same_as < i && in.declared != i;
    const auto reach = in.declared == i ? comparison_reach::all : comparison_reach::first_number;
    all.push_back(again ? all[one.same_as]
                        : compared(one.plan, one.operands().view, in.words(one.plan), reach));
    watch.compared();
  }
  return all;
}

/// The elements that excluded candidates, each once: any other explanation must hold there too.
std::vector<product_difference> elements_seen(const std::vector<product_comparison>& comparisons) {
  std::vector<product_difference> seen;
  for (const product_comparison& c : comparisons) {
    const auto same = [&c](const product_difference& other) {
      return other.row == c.first->row && other.column == c.first->column;
    };
    if (c.first && std::none_of(seen.begin(), seen.end(), same)) seen.push_back(*c.first);
  }
  return seen;
}

/// Searches for plans under which candidates compute D.
class plan_search {
 public:
  plan_search(const product_inputs& in, const product_verdict& verdict)
      : in_(in), seen_(elements_seen(verdict.comparisons)) {}

  /// Adds the plans beside the declared one under which a candidate computes D.
  void add(std::size_t candidate, std::vector<product_explanation>& found) const;

 private:
  /// Whether a candidate computes D under another plan. A sample rejects nearly all.
  [[nodiscard]] bool is_explained_by(const product_candidate& one,
                                     const mx::gemm_plan& plan) const {
    const product_words words = in_.words(plan);
    const held_operands codes = one.operands();
    return sample_agrees(plan, codes.view, words, seen_) &&
           compared(plan, codes.view, words, comparison_reach::first_number).is_equal();
  }

  const product_inputs& in_;
  std::vector<product_difference> seen_;
};

std::string name_of(const product_candidate& one) { return std::string(one.entry->name); }

/// A candidate under its own plan as an explanation; without differences where none was declared.
product_explanation other_model(const product_inputs& in, std::size_t candidate) {
  product_explanation explanation{{}, candidate, in.candidates[candidate].plan};
  if (in.declared && *in.declared != candidate) {
    explanation.dimensions.push_back(
        {"accumulator", name_of(in.candidates[*in.declared]), name_of(in.candidates[candidate])});
  }
  return explanation;
}

void plan_search::add(std::size_t candidate, std::vector<product_explanation>& found) const {
  const product_candidate& one = in_.candidates[candidate];
  const auto c = in_.has_c() ? addend_given::yes : addend_given::no;
  const auto k = one.shape.k;
  for (const auto& beside : hypotheses_beside(one.plan, k, c)) {
    if (!is_explained_by(one, beside.plan)) continue;
    product_explanation explanation = other_model(in_, candidate);
    explanation.dimensions.push_back(
        {std::string(beside.dimension), beside.expected, beside.found});
    explanation.plan = beside.plan;
    found.push_back(std::move(explanation));
  }
}

/// One difference: another model, or the declared model under another plan.
std::vector<product_explanation> small_explanations(const product_inputs& in,
                                                    const product_verdict& verdict) {
  std::vector<product_explanation> found;
  if (!in.declared) return found;
  plan_search(in, verdict).add(*in.declared, found);
  for (std::size_t i = 0; i < in.candidates.size(); ++i) {
    if (verdict.is_consistent(i)) found.push_back(other_model(in, i));
  }
  return found;
}

/// Another plan combined with another model where one was declared.
std::vector<product_explanation> large_explanations(const product_inputs& in,
                                                    const product_verdict& verdict) {
  std::vector<product_explanation> found;
  const plan_search search(in, verdict);
  for (std::size_t i = 0; i < in.candidates.size(); ++i) {
    if (in.candidates[i].same_as == i && in.declared != i) search.add(i, found);
  }
  return found;
}

/// The candidate whose class bounds D: the declared one, else FP32 sums in any order.
std::size_t class_of(const product_inputs& in) {
  if (in.declared) return *in.declared;
  for (std::size_t i = 0; i < in.candidates.size(); ++i) {
    if (in.candidates[i].entry->name == "fp32.fma") return i;
  }
  return 0;
}

class_bound bound_on(const product_inputs& in, const verdict_watch& watch) {
  const product_candidate& one = in.candidates[class_of(in)];
  return {one.entry, errors_of(one.plan, one.operands().view, in.words(one.plan), watch.bounded())};
}

bool is_exact(const product_inputs& in, const product_verdict& verdict) {
  if (in.declared) return verdict.is_consistent(*in.declared);
  return std::any_of(verdict.comparisons.begin(), verdict.comparisons.end(),
                     [](const product_comparison& c) { return c.is_equal(); });
}

}  // namespace

product_words product_inputs::words(const mx::gemm_plan& plan) const {
  return {plan.model.sum.result == mx::formats::binary16 ? c16 : c32, d};
}

std::size_t expected_of(const product_inputs& in, const product_verdict& verdict) {
  if (in.declared) return *in.declared;
  return verdict.explanations.empty() ? class_of(in) : verdict.explanations.front().candidate;
}

product_verdict verdict_on(const product_inputs& in, const verdict_watch& watch) {
  product_verdict verdict;
  verdict.comparisons = comparisons_of(in, watch);
  if (is_exact(in, verdict)) {
    verdict.kind = verdict::exact;
    return verdict;
  }
  verdict.explanations = small_explanations(in, verdict);
  if (verdict.explanations.empty()) verdict.explanations = large_explanations(in, verdict);
  if (!verdict.explanations.empty()) verdict.kind = verdict::explained;
  verdict.bound = bound_on(in, watch);
  return verdict;
}

}  // namespace golden::validator
