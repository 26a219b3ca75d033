// SPDX-License-Identifier: Apache-2.0
// golden/validator/product/plan.cpp: plans of a product that differ from the declared one in one
// dimension.
#include "plan.h"

#include "mx/block/names.h"
#include "mx/spelling.h"

namespace golden::validator {
namespace {

std::string promotion_text(const mx::gemm_plan& p) {
  return p.promote_every == 0 ? "no promotion"
                              : "promotion every " + std::to_string(p.promote_every);
}

std::string split_text(const mx::gemm_plan& p) {
  if (p.parts == 1) return "one part";
  const bool pairs = p.order == mx::split_order::pairwise;
  return std::to_string(p.parts) + (pairs ? " parts in pairs" : " parts ascending");
}

std::string entry_text(const mx::gemm_plan& p) {
  return p.c == mx::c_entry::epilogue ? "C in the epilogue" : "C in the first step";
}

std::string alpha_text(const mx::gemm_plan& p) {
  return p.alpha == 1 ? "no alpha" : "alpha and tensor scales";
}

std::string rounding_text(const mx::gemm_plan& p) {
  return std::string(mx::name_in(mx::rounding_table, p.out_rounding));
}

/// Collects alternatives to a declared plan.
class plan_list {
 public:
  plan_list(const mx::gemm_plan& declared, std::int64_t k) : declared_(declared), k_(k) {}

  template <class Text>
  void add(std::string_view dimension, const mx::gemm_plan& plan, const Text& text) {
    if (mx::refusal_of(plan) != mx::gemm_refusal::none) return;
    const std::string expected = text(declared_), found = text(plan);
    if (expected != found) plans_.push_back({dimension, expected, found, plan});
  }

  void add_roundings() {
    // A sum that is written unchanged was not rounded to the output.
    if (mx::is_sum(declared_) || declared_.output == mx::formats::binary32) return;
    for (const auto how : {mx::rounding::ties_to_even, mx::rounding::ties_away,
                           mx::rounding::ties_toward_zero, mx::rounding::toward_zero}) {
      mx::gemm_plan plan = declared_;
      plan.out_rounding = how;
      add("output_rounding", plan, rounding_text);
    }
  }

  void add_entry() {
    mx::gemm_plan plan = declared_;
    const bool first = plan.c == mx::c_entry::first_step;
    plan.c = first ? mx::c_entry::epilogue : mx::c_entry::first_step;
    add("operation_order", plan, entry_text);
  }

  void add_promotions() {
    for (const int every : {0, 128, 64, 256, 512}) {
      mx::gemm_plan plan = declared_;
      plan.promote_every = every;
      if (every < k_) add("operation_order", plan, promotion_text);
    }
  }

  void add_splits() {
    for (const int parts : {1, 2, 4, 8, 16}) {
      for (const auto order : {mx::split_order::ascending, mx::split_order::pairwise}) {
        mx::gemm_plan plan = declared_;
        plan.parts = parts;
        plan.order = order;
        const bool same_order = parts < 3 && order == mx::split_order::pairwise;
        if (parts == 1 || mx::part_size(plan, k_) < k_) {
          if (!same_order) add("operation_order", plan, split_text);
        }
      }
    }
  }

  void add_bare() {
    mx::gemm_plan plan = declared_;
    plan.alpha = 1;
    add("tensor_scale", plan, alpha_text);
  }

  [[nodiscard]] std::vector<plan_hypothesis> taken() { return std::move(plans_); }

 private:
  const mx::gemm_plan& declared_;
  std::int64_t k_;
  std::vector<plan_hypothesis> plans_;
};

}  // namespace

std::vector<plan_hypothesis> hypotheses_beside(const mx::gemm_plan& declared, std::int64_t k,
                                               addend_given c) {
  plan_list plans(declared, k);
  plans.add_roundings();
  if (c == addend_given::yes) plans.add_entry();
  plans.add_promotions();
  plans.add_splits();
  plans.add_bare();
  return plans.taken();
}

}  // namespace golden::validator
