// SPDX-License-Identifier: Apache-2.0
// golden/validator/product/diagnose.cpp: the models that may have computed a kernel's product.
#include "diagnose.h"

#include <algorithm>

#include "plan.h"

namespace golden::validator {
namespace {

/// Compares every candidate with D, each arithmetic once. The declared one counts all differences.
std::vector<judged_model> judged(const product_inputs& in, const diagnosis_watch& watch) {
  std::vector<judged_model> all;
  for (std::size_t i = 0; i < in.candidates.size(); ++i) {
    const product_candidate& one = in.candidates[i];
    const bool again = one.same_as < i && in.declared != i;
    const auto reach = in.declared == i ? comparison_reach::all : comparison_reach::first_number;
    all.push_back({one.entry, one.plan, one.same_as,
                   again ? all[one.same_as].found
                         : compared(one.plan, one.operands().view, in.words(one.plan), reach)});
    watch.compared();
  }
  return all;
}

/// The elements that excluded candidates, each once: any other explanation must hold there too.
std::vector<product_difference> elements_seen(const std::vector<judged_model>& models) {
  std::vector<product_difference> seen;
  for (const judged_model& model : models) {
    const auto& first = model.found.first;
    const auto same = [&first](const product_difference& other) {
      return other.row == first->row && other.column == first->column;
    };
    if (first && std::none_of(seen.begin(), seen.end(), same)) seen.push_back(*first);
  }
  return seen;
}

std::string name_of(const product_candidate& one) { return std::string(one.entry->name); }

/// A candidate under its own plan as an explanation; without differences if it is the declared one.
product_explanation other_model(const product_inputs& in, std::size_t candidate) {
  product_explanation explanation{{}, candidate, in.candidates[candidate].plan};
  if (in.declared == candidate) return explanation;
  const std::string expected = in.declared ? name_of(in.candidates[*in.declared]) : "any";
  explanation.changes.push_back({"accumulator", expected, name_of(in.candidates[candidate])});
  return explanation;
}

/// Searches for plans under which candidates compute D.
class plan_search {
 public:
  plan_search(const product_inputs& in, const product_diagnosis& d)
      : in_(in), seen_(elements_seen(d.models)) {}

  /// Adds the plans beside the declared one under which a candidate computes D.
  void add(std::size_t candidate, std::vector<product_explanation>& found) const {
    const product_candidate& one = in_.candidates[candidate];
    const auto c = in_.has_c() ? addend_given::yes : addend_given::no;
    const auto k = one.shape.k;
    for (const auto& beside : hypotheses_beside(one.plan, one.factors, k, c)) {
      if (!is_explained_by(one, beside.plan)) continue;
      product_explanation explanation = other_model(in_, candidate);
      explanation.changes.push_back(beside);
      explanation.plan = beside.plan;
      found.push_back(std::move(explanation));
    }
  }

  /// Adds the readings of A and B with which a candidate computes D under its own plan.
  void add_readings(std::vector<product_explanation>& found) const {
    for (const operand_reading& reading : in_.readings) {
      const std::optional<held_operands> codes = reading.operands();
      for (const std::size_t reader : in_.readers) {
        if (!codes || !is_computed_by(in_.candidates[reader].plan, *codes)) continue;
        product_explanation explanation = other_model(in_, reader);
        explanation.changes.push_back(reading.what);
        found.push_back(std::move(explanation));
      }
    }
  }

 private:
  [[nodiscard]] bool is_explained_by(const product_candidate& one,
                                     const mx::gemm_plan& plan) const {
    return is_computed_by(plan, one.operands());
  }

  /// Whether a plan computes D of these codes. A sample rejects nearly all.
  [[nodiscard]] bool is_computed_by(const mx::gemm_plan& plan, const held_operands& codes) const {
    const product_words words = in_.words(plan);
    return sample_agrees(plan, codes.view, words, seen_) &&
           compared(plan, codes.view, words, comparison_reach::first_number).is_equal();
  }

  const product_inputs& in_;
  std::vector<product_difference> seen_;
};

/// One difference: another model, or the declared model under another plan or of operands that are
/// quantized otherwise.
std::vector<product_explanation> small_explanations(const product_inputs& in,
                                                    const product_diagnosis& d) {
  std::vector<product_explanation> found;
  if (!in.declared) return found;
  const plan_search search(in, d);
  search.add(*in.declared, found);
  for (std::size_t i = 0; i < in.candidates.size(); ++i) {
    if (d.models[i].is_consistent()) found.push_back(other_model(in, i));
  }
  if (found.empty()) search.add_readings(found);
  return found;
}

/// Another plan, combined with another model where one was declared; or where none was, operands
/// that are quantized otherwise.
std::vector<product_explanation> large_explanations(const product_inputs& in,
                                                    const product_diagnosis& d) {
  std::vector<product_explanation> found;
  const plan_search search(in, d);
  for (std::size_t i = 0; i < in.candidates.size(); ++i) {
    if (in.candidates[i].same_as == i && in.declared != i) search.add(i, found);
  }
  if (found.empty() && !in.declared) search.add_readings(found);
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

class_bound bound_on(const product_inputs& in, const diagnosis_watch& watch) {
  const product_candidate& one = in.candidates[class_of(in)];
  return {one.entry, errors_of(one.plan, one.operands().view, in.words(one.plan), watch.bounded())};
}

/// The declared model, or else the first consistent one; null if D is consistent with neither.
const judged_model* exact_model(const product_diagnosis& d) {
  const judged_model* declared = d.declared_model();
  if (declared != nullptr && declared->is_consistent()) return declared;
  const auto first = std::find_if(d.models.begin(), d.models.end(),
                                  [](const judged_model& m) { return m.is_consistent(); });
  return first == d.models.end() ? nullptr : &*first;
}

std::vector<model_distinction> distinctions_in(const product_diagnosis& d) {
  std::vector<model_distinction> all;
  const judged_model* from = exact_model(d);
  for (std::size_t i = 0; i < d.models.size(); ++i) {
    const judged_model& one = d.models[i];
    if (!one.is_consistent() || one.same_as != i || one.same_as == from->same_as) continue;
    all.push_back(
        {one.entry->name, from->entry->name, telling_data(one.plan.model, from->plan.model)});
  }
  return all;
}

bool is_exact(const product_diagnosis& d) {
  return d.declared ? d.declared_model()->is_consistent() : exact_model(d) != nullptr;
}

/// D against every candidate, not yet explained.
product_diagnosis compared_with_all(const product_inputs& in, const diagnosis_watch& watch) {
  const mx::gemm_shape& shape = in.candidates.front().shape;
  product_diagnosis d;
  d.name = in.name, d.shown = in.shown;
  d.m = static_cast<std::uint64_t>(shape.m), d.n = static_cast<std::uint64_t>(shape.n), d.k = in.k;
  d.declared = in.declared;
  d.models = judged(in, watch);
  d.distinctions = distinctions_in(d);
  return d;
}

std::size_t expected_of(const product_inputs& in, const product_diagnosis& d) {
  if (in.declared || d.explanations.empty()) return class_of(in);
  return d.explanations.front().candidate;
}

}  // namespace

product_words product_inputs::words(const mx::gemm_plan& plan) const {
  return {plan.model.sum.result == mx::formats::binary16 ? c16 : c32, d};
}

product_diagnosis diagnose(const product_inputs& in, const diagnosis_watch& watch) {
  product_diagnosis d = compared_with_all(in, watch);
  if (is_exact(d)) {
    d.verdict = verdict::exact;
    return d;
  }
  d.explanations = small_explanations(in, d);
  if (d.explanations.empty()) d.explanations = large_explanations(in, d);
  if (!d.explanations.empty()) d.verdict = verdict::explained;
  d.expected = expected_of(in, d);
  d.bound = bound_on(in, watch);
  return d;
}

}  // namespace golden::validator
