// SPDX-License-Identifier: Apache-2.0
// golden/bindings/product_verify.cpp: passes a kernel's product in the caller's arrays to the
// validator.
#include <algorithm>
#include <memory>

#include "golden/bindings/product_arguments.h"
#include "golden/bindings/verdict_handle.h"
#include "golden/validator/product/diagnosis_words.h"
#include "golden/validator/product/model.h"
#include "mx/number/element.h"

namespace bindings {
namespace {

namespace gv = golden::validator;

/// The caller's product, and C in both result types as far as they can represent it.
struct verified_product {
  product_arguments given;
  std::vector<std::uint32_t> c32;
  gv::product_inputs inputs;
};

bool is_narrow(const mx::dot_model& m) { return m.sum.result == mx::formats::binary16; }

/// Every FP16 C is exact in FP32, but not vice versa.
void take_addends(const mx::dot_model& m, verified_product& p) {
  if (p.given.c == nullptr) return;
  const std::span<const std::uint32_t> c{p.given.c, p.given.elements()};
  if (!is_narrow(m)) {
    p.inputs.c32 = c;
    return;
  }
  p.inputs.c16 = c;
  for (const std::uint32_t code : c) {
    p.c32.push_back(mx::bits_of(mx::to_binary32(mx::decode(mx::formats::binary16, code))));
  }
  p.inputs.c32 = p.c32;
}

gv::product_formats formats_of(const mx::dot_model& m) {
  gv::product_formats f{m.a, m.b, {}, m.block};
  if (m.block > 0) f.scale = m.scale;
  return f;
}

/// Whether C, if present, is available in the result type of a model.
bool takes_addend(const gv::product_inputs& in, const mx::dot_model& m) {
  return !in.has_c() || !(is_narrow(m) ? in.c16 : in.c32).empty();
}

/// Every model that accepts the operands, under the declared plan if it supports that.
void take_candidates(const mx::gemm_plan& declared, verified_product& p) {
  auto& all = p.inputs.candidates;
  const auto operands = [view = gv::product_operands{p.given.shape, p.given.a, p.given.b}] {
    return gv::held_operands{view};
  };
  for (const gv::product_model& model : gv::models_taking(formats_of(declared.model))) {
    gv::product_candidate one{model.entry, p.given.shape, operands, declared, 0};
    one.plan.model = model.model;
    if (mx::refusal_of(one.plan) != mx::gemm_refusal::none) continue;
    if (!takes_addend(p.inputs, model.model)) continue;
    const auto same = std::find_if(all.begin(), all.end(), [&](const gv::product_candidate& other) {
      return other.plan.model == model.model;
    });
    one.same_as = static_cast<std::size_t>(same - all.begin());
    all.push_back(one);
  }
}

std::size_t index_of(const std::vector<gv::product_candidate>& all, const std::string& name) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].entry->name == name) return i;
  }
  throw std::logic_error("a model is missing from those that take its operands");
}

owned_explanation owned(const gv::product_explanation& explanation) {
  owned_explanation e;
  for (const gv::product_dimension& d : explanation.dimensions) {
    e.changes.push_back({d.dimension, d.expected, d.found});
  }
  e.text = gv::explanation_text(explanation);
  return e;
}

owned_candidate owned(const gv::judged_model& one) {
  owned_candidate t;
  t.name = one.entry->name;
  t.evidence = mx::name_of(one.entry->rests_on);
  t.facts.is_consistent = one.is_consistent() ? 1 : 0;
  t.facts.nan_code_only = one.found.differs_in_nan_codes_only() ? 1 : 0;
  if (!one.found.first) return t;
  t.facts.row = static_cast<std::uint64_t>(one.found.first->row);
  t.facts.column = static_cast<std::uint64_t>(one.found.first->column);
  t.facts.expected = one.found.first->expected;
  t.facts.found = one.found.first->found;
  return t;
}

owned_distinction owned(const gv::model_distinction& d) {
  return {std::string(d.model), std::string(d.from), d.data, {}};
}

owned_breach owned(const gv::bound_breach& b) {
  owned_breach t{{}, b.exact, b.error, b.bound};
  t.facts.row = static_cast<std::uint64_t>(b.row);
  t.facts.column = static_cast<std::uint64_t>(b.column);
  t.facts.times = b.times;
  t.facts.found = b.found;
  return t;
}

owned_bound owned(const gv::class_bound& bound) {
  const gv::product_errors& e = bound.errors;
  owned_bound t{{}, std::string(bound.entry->name), {}, {}};
  t.facts.elements = e.elements;
  t.facts.exceeded = e.exceeded;
  t.facts.without_bound = e.without_bound;
  if (e.first) t.first = owned(*e.first);
  if (e.worst) t.worst = owned(*e.worst);
  return t;
}

void add_models(const gv::product_diagnosis& d, mx_verdict& v) {
  for (const gv::judged_model& one : d.models) v.candidates.push_back(owned(one));
  if (d.declared) v.candidates[*d.declared].facts.is_declared = 1;
  for (const auto& one : d.distinctions) v.distinctions.push_back(owned(one));
  for (owned_distinction& one : v.distinctions) {
    for (const std::string& data : one.data) one.pointers.push_back(data.c_str());
  }
}

std::unique_ptr<mx_verdict> owned(const gv::product_diagnosis& d) {
  auto v = std::make_unique<mx_verdict>();
  v->facts.kind = static_cast<std::int32_t>(d.verdict);
  v->facts.elements = d.elements();
  if (d.declared) {
    v->facts.mismatches = d.declared_model()->found.mismatches();
    v->facts.nan_codes = d.declared_model()->found.nan_codes;
  }
  v->text = gv::report_text(d);
  for (const auto& e : d.explanations) v->explanations.push_back(owned(e));
  add_models(d, *v);
  if (d.bound) v->bound = owned(*d.bound);
  return v;
}

}  // namespace
}  // namespace bindings

mx_status mx_product_verify(const mx_model* model, const mx_product* product, const mx_plan* plan,
                            int32_t declared, mx_verdict** made, mx_error* error) {
  return bindings::guarded(error, [&] {
    bindings::require(made != nullptr, "the address for the verdict is null");
    *made = nullptr;
    const mx::dot_model& m = bindings::model_of(model);
    bindings::require(declared == mx_declared_model || declared == mx_declared_formats,
                      "declared is out of range");
    const mx::gemm_plan requested = bindings::plan_of(m, plan);
    bindings::verified_product p{bindings::product_of(m, product), {}, {}};
    bindings::expect_narrow(p.given.d, p.given.elements(), 4, requested.output.width(), "d");
    p.inputs.d = {p.given.d, p.given.elements()};
    p.inputs.k = static_cast<std::uint64_t>(p.given.shape.k);
    bindings::take_addends(m, p);
    bindings::take_candidates(requested, p);
    if (declared == mx_declared_model) {
      p.inputs.declared = bindings::index_of(p.inputs.candidates, model->name);
    }
    *made = bindings::owned(golden::validator::diagnose(p.inputs)).release();
  });
}
