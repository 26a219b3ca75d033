// SPDX-License-Identifier: Apache-2.0
// sim/sweep/point_arm.cpp: see point_arm.h.
#include "sim/sweep/point_arm.h"

#include "mx/spelling.h"
#include "sim/study/pass_refusal.h"

namespace sim {
namespace {

/// The model of the point's products: by its name, or with other sums a copy of it for the point's
/// formats.
std::shared_ptr<const mx::named_model> changed_model(const mx::named_model& named,
                                                     const mx::gemm_plan& plan) {
  if (named.model.sum == plan.model.sum) return nullptr;
  mx::named_model changed = named;
  changed.model = plan.model;
  changed.operands = mx::operands::of_model;
  return std::make_shared<const mx::named_model>(changed);
}

/// Whether a plan is more than a model: policies add up whole products.
bool has_further_steps(const mx::gemm_plan& plan) {
  const mx::gemm_plan usual;
  return plan.promote != usual.promote || plan.split_k != usual.split_k ||
         plan.split_order != usual.split_order || !(plan.output == plan.model.sum.result);
}

}  // namespace

point_arm arm_of(const sweep_point& p) {
  pass_format both{p.operand, p.operand};
  // How codes are stored changes no number.
  both.data.recipe.codes = both.other.recipe.codes = {};
  point_arm result;
  if (p.plan) {
    both.model = &mx::model_spelled(*word_at(p.words, "model"));
    result.model = changed_model(*both.model, *p.plan);
    if (result.model) both.model = result.model.get();
  }
  result.of = arm{p.name, {both, both, both, both}};
  return result;
}

std::string refusal_of(const sweep_point& p, const policy_shape& policy,
                       const std::vector<pass>& passes) {
  if (p.plan && has_further_steps(*p.plan)) {
    return "the products of a policy have no promote, split_k, split_order or output of their own";
  }
  const point_arm a = arm_of(p);
  for (const pass one : passes) {
    const pass_fault fault = fault_of(a.of.formats, one, policy);
    if (fault.why != pass_refusal::none) return sentence_of(a.of.formats, one, policy, fault);
  }
  return "";
}

}  // namespace sim
