// SPDX-License-Identifier: Apache-2.0
// sim/cli/verify/product_candidates.cpp: the models that `gemm` accepts for A and B under the same
// options.
#include "sim/cli/verify/product_candidates.h"

#include <stdexcept>

#include "mx/spelling.h"

namespace sim::cli {
namespace {

/// Calls work(model) for every named model.
template <class Work>
void for_each_model(const Work& work) {
  for (const mx::named_model& entry : mx::model_table) work(entry);
  for (const mx::named_model& entry : mx::mixed_model_table) work(entry);
}

/// A factor's fields, without its codes.
gemm_factor without_codes(const gemm_factor& f) {
  gemm_factor known;
  known.tensor = f.tensor;
  known.origin = f.origin;
  known.name = f.name, known.rules = f.rules;
  known.lines = f.lines, known.k = f.k, known.padded = f.padded;
  known.special_blocks = f.special_blocks;
  known.element = f.element, known.scale = f.scale, known.block = f.block;
  known.storage = f.storage;
  known.tensor_scale = f.tensor_scale;
  return known;
}

}  // namespace

candidate_maker::candidate_maker(const product_options& options, const product_request& request)
    : options_(options),
      of_a_(request.rules),
      of_b_(request.rules),
      a_(golden::io::load(options.gemm.at(0))),
      b_(golden::io::load(options.gemm.at(1))) {
  if (options.b_format) of_b_.format = options.b_format;
}

candidate_maker::reading candidate_maker::reading_of(const mx::named_model& model,
                                                     factor_side side) {
  const mx::dot_model& m = model.model;
  if (model.operands == mx::operands::any) return {side, model.operands, {}, {}, 0, false};
  const mx::format& element = side == factor_side::a ? m.a : m.b;
  return {side, model.operands, element, m.scale, m.block, mx::has_siblings(model)};
}

gemm_factor candidate_maker::read(const mx::named_model& model, factor_side side) const {
  if (side == factor_side::a) return factor_of(a_, {side, model, of_a_, options_.plan.a_order});
  return factor_of(b_, {side, model, of_b_, options_.plan.b_order});
}

std::shared_ptr<const gemm_factor> candidate_maker::factor(const mx::named_model& model,
                                                           factor_side side) {
  const reading how = reading_of(model, side);
  for (const made& earlier : made_) {
    if (!(earlier.how == how)) continue;
    if (earlier.refusal) std::rethrow_exception(earlier.refusal);
    return earlier.known;
  }
  made_.push_back({how, &model, nullptr, nullptr});
  kept& last = kept_[static_cast<int>(side)];
  last = {};  // so that codes of two readings are never in memory at once
  try {
    last.loaded = std::make_shared<const gemm_factor>(read(model, side));
  } catch (...) {
    made_.back().refusal = std::current_exception();
    throw;
  }
  last.known = made_.back().known =
      std::make_shared<const gemm_factor>(without_codes(*last.loaded));
  return last.known;
}

std::shared_ptr<const gemm_factor> candidate_maker::loaded(
    const std::shared_ptr<const gemm_factor>& known) {
  for (const made& earlier : made_) {
    if (earlier.known != known) continue;
    kept& last = kept_[static_cast<int>(earlier.how.side)];
    if (last.known == known) return last.loaded;
    last = {};
    last.loaded = std::make_shared<const gemm_factor>(read(*earlier.by, earlier.how.side));
    last.known = known;
    return last.loaded;
  }
  throw std::logic_error("a factor of another product");
}

void candidate_maker::plan(product_candidate& one, const mx::named_model& model,
                           const mx::format& output) const {
  plan_options plan = options_.plan;
  plan.out = number_format_name(output);
  one.plan = plan_of(model, plan, *one.a, *one.b);
  one.entry = &model_told(model, one.plan.model);
}

product_candidate candidate_maker::candidate(const mx::named_model& model,
                                             const mx::format& output) {
  product_candidate one;
  one.a = factor(model, factor_side::a);
  one.b = factor(model, factor_side::b);
  expect_same_k(*one.a, *one.b);
  plan(one, model, output);
  return one;
}

std::vector<product_candidate> candidate_maker::beside(const product_candidate& declared,
                                                       const mx::format& output) const {
  const gemm_factor &a = *declared.a, &b = *declared.b;
  std::vector<product_candidate> candidates;
  for (const auto& model :
       golden::validator::models_taking({a.element, b.element, a.scale, a.block})) {
    product_candidate one{nullptr, declared.a, declared.b, {}, 0, nullptr};
    try {
      plan(one, *model.entry, output);
      candidates.push_back(std::move(one));
    } catch (const usage_error&) {
      continue;  // a plan of FP32 sums with a model whose result is FP16
    }
  }
  return candidates;
}

std::vector<product_candidate> candidate_maker::all(const mx::format& output) {
  std::vector<product_candidate> candidates;
  for_each_model([&](const mx::named_model& entry) {
    try {
      product_candidate one = candidate(entry, output);
      if (one.entry != &entry) return;  // its pair of formats has a separate entry
      candidates.push_back(std::move(one));
    } catch (const usage_error&) {
      return;
    } catch (const golden::io::file_error&) {
      return;
    }
  });
  return candidates;
}

}  // namespace sim::cli
