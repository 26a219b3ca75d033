// SPDX-License-Identifier: Apache-2.0
// golden/bindings/product_verify.cpp: passes a kernel's product in the caller's arrays to the
// validator, and returns its models, distinctions and bound.
#include <algorithm>
#include <memory>

#include "golden/bindings/product_arguments.h"
#include "golden/bindings/verdict_handle.h"
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
void take_candidates(const mx::gemm_plan& declared, const mx::sum_factors& factors,
                     verified_product& p) {
  auto& all = p.inputs.candidates;
  const auto operands = [view = gv::product_operands{p.given.shape, p.given.a, p.given.b}] {
    return gv::held_operands{view};
  };
  for (const gv::product_model& model : gv::models_taking(formats_of(declared.model))) {
    gv::product_candidate one{model.entry, p.given.shape, operands, declared, factors, 0};
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

/// The diagnosis of a product; that of a tensor has no part of it.
const gv::product_diagnosis& product_in(const mx_verdict* handle) {
  static const gv::product_diagnosis none;
  const auto* d = std::get_if<gv::product_diagnosis>(&verdict_of(handle).found);
  return d == nullptr ? none : *d;
}

/// Whether a zero follows each name, as C strings need.
template <class Table>
constexpr bool are_terminated(const Table& table) {
  for (const mx::named_model& m : table) {
    if (m.name.data()[m.name.size()] != 0) return false;
  }
  return true;
}
static_assert(are_terminated(mx::model_table) && are_terminated(mx::mixed_model_table));

mx_candidate candidate_of(const gv::product_diagnosis& d, std::uint64_t number) {
  const auto& one = numbered(d.models, number, "candidate number is out of range");
  mx_candidate t = {};
  t.name = one.entry->name.data();
  t.evidence = mx::name_of(one.entry->rests_on).data();
  t.is_declared = d.declared == number ? 1 : 0;
  t.is_consistent = one.is_consistent() ? 1 : 0;
  t.nan_code_only = one.found.differs_in_nan_codes_only() ? 1 : 0;
  if (!one.found.first) return t;
  t.row = static_cast<std::uint64_t>(one.found.first->row);
  t.column = static_cast<std::uint64_t>(one.found.first->column);
  t.expected = one.found.first->expected;
  t.found = one.found.first->found;
  return t;
}

mx_distinction distinction_of(const mx_verdict* handle, std::uint64_t number) {
  const auto& one =
      numbered(product_in(handle).distinctions, number, "distinction number is out of range");
  const std::vector<const char*>& data = handle->distinction_data[number];
  return {0, one.model.data(), one.from.data(), data.data(), data.size()};
}

const gv::class_bound& bound_of(const mx_verdict* handle) {
  return required(product_in(handle).bound, "the verdict has no bound");
}

mx_bound facts_of(const gv::class_bound& bound) {
  const gv::product_errors& e = bound.errors;
  return {0, bound.entry->name.data(), e.elements, e.exceeded, e.without_bound};
}

mx_breach breach_of(const mx_verdict* handle, std::int32_t which) {
  require(which == mx_breach_first || which == mx_breach_worst, "which is out of range");
  const gv::product_errors& e = bound_of(handle).errors;
  const gv::bound_breach& b =
      required(which == mx_breach_first ? e.first : e.worst, "no element exceeds its bound");
  mx_breach t = {};
  t.row = static_cast<std::uint64_t>(b.row);
  t.column = static_cast<std::uint64_t>(b.column);
  t.times = b.times;
  t.exact = b.exact.c_str();
  t.error = b.error.c_str();
  t.bound = b.bound.c_str();
  t.found = b.found;
  return t;
}

}  // namespace
}  // namespace bindings

mx_status mx_product_verify(const mx_model* model, const mx_product* product, const mx_plan* plan,
                            int32_t declared, mx_verdict** made, mx_error* error) {
  return bindings::guarded(error, [&] {
    bindings::clear_handle(made, "the address for the verdict is null");
    const mx::dot_model& m = bindings::model_of(model);
    bindings::require(declared == mx_declared_model || declared == mx_declared_formats,
                      "declared is out of range");
    const mx::gemm_plan requested = bindings::plan_of(m, plan);
    bindings::verified_product p{bindings::product_of(m, product), {}, {}};
    bindings::expect_narrow(p.given.d, p.given.elements(), 4, requested.output.width(), "d");
    p.inputs.d = {p.given.d, p.given.elements()};
    p.inputs.k = static_cast<std::uint64_t>(p.given.shape.k);
    bindings::take_addends(m, p);
    bindings::take_candidates(requested, bindings::factors_of(plan), p);
    if (declared == mx_declared_model) {
      p.inputs.declared = bindings::index_of(p.inputs.candidates, model->name);
    }
    *made = std::make_unique<mx_verdict>(golden::validator::diagnose(p.inputs)).release();
  });
}

mx_status mx_candidate_describe(const mx_verdict* verdict, uint64_t number, mx_candidate* candidate,
                                mx_error* error) {
  return bindings::described(candidate, error, [&] {
    return bindings::candidate_of(bindings::product_in(verdict), number);
  });
}

mx_status mx_distinction_describe(const mx_verdict* verdict, uint64_t number,
                                  mx_distinction* distinction, mx_error* error) {
  return bindings::described(distinction, error,
                             [&] { return bindings::distinction_of(verdict, number); });
}

mx_status mx_bound_describe(const mx_verdict* verdict, mx_bound* bound, mx_error* error) {
  return bindings::described(bound, error,
                             [&] { return bindings::facts_of(bindings::bound_of(verdict)); });
}

mx_status mx_breach_describe(const mx_verdict* verdict, int32_t which, mx_breach* breach,
                             mx_error* error) {
  return bindings::described(breach, error, [&] { return bindings::breach_of(verdict, which); });
}
