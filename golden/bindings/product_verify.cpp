// SPDX-License-Identifier: Apache-2.0
// golden/bindings/product_verify.cpp: passes a kernel's product in the caller's arrays to the
// validator.
#include <algorithm>
#include <memory>

#include "golden/bindings/product_arguments.h"
#include "golden/bindings/verdict_handle.h"
#include "golden/validator/product/model.h"
#include "golden/validator/product/verdict_words.h"
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

owned_candidate owned(const gv::product_candidate& one, const gv::product_comparison& c) {
  owned_candidate t;
  t.name = one.entry->name;
  t.evidence = mx::name_of(one.entry->rests_on);
  t.facts.is_consistent = c.is_equal() ? 1 : 0;
  t.facts.nan_code_only = c.differs_in_nan_codes_only() ? 1 : 0;
  if (!c.first) return t;
  t.facts.row = static_cast<std::uint64_t>(c.first->row);
  t.facts.column = static_cast<std::uint64_t>(c.first->column);
  t.facts.expected = c.first->expected;
  t.facts.found = c.first->found;
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

void add_models(const gv::product_inputs& in, const gv::product_verdict& verdict, mx_verdict& v) {
  for (std::size_t i = 0; i < in.candidates.size(); ++i) {
    v.candidates.push_back(owned(in.candidates[i], verdict.comparisons[i]));
    v.candidates.back().facts.is_declared = in.declared == i ? 1 : 0;
  }
  for (const auto& d : gv::distinctions_in(in, verdict)) v.distinctions.push_back(owned(d));
  for (owned_distinction& d : v.distinctions) {
    for (const std::string& data : d.data) d.pointers.push_back(data.c_str());
  }
}

std::unique_ptr<mx_verdict> owned(const verified_product& p, const gv::product_verdict& verdict) {
  const gv::product_inputs& in = p.inputs;
  auto v = std::make_unique<mx_verdict>();
  v->facts.kind = static_cast<std::int32_t>(verdict.kind);
  v->facts.elements = in.d.size();
  if (in.declared) {
    const gv::product_comparison& c = verdict.comparisons[*in.declared];
    v->facts.mismatches = c.numbers + c.nan_codes;
    v->facts.nan_codes = c.nan_codes;
  }
  v->text = gv::report_text(in, verdict, {"", static_cast<std::uint64_t>(p.given.shape.k)});
  for (const auto& e : verdict.explanations) v->explanations.push_back(owned(e));
  add_models(in, verdict, *v);
  if (verdict.bound) v->bound = owned(*verdict.bound);
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
    bindings::take_addends(m, p);
    bindings::take_candidates(requested, p);
    if (declared == mx_declared_model) {
      p.inputs.declared = bindings::index_of(p.inputs.candidates, model->name);
    }
    *made = bindings::owned(p, golden::validator::verdict_on(p.inputs)).release();
  });
}
