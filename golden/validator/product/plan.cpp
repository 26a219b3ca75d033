// SPDX-License-Identifier: Apache-2.0
// golden/validator/product/plan.cpp: plans of a product that differ from the declared one in one
// dimension.
#include "plan.h"

#include <set>
#include <utility>

#include "factors.h"
#include "mx/block/names.h"
#include "mx/spelling.h"

namespace golden::validator {
namespace {

std::string promotion_text(const mx::gemm_plan& p) {
  return p.promote == 0 ? "no promotion" : "promotion every " + std::to_string(p.promote);
}

std::string split_text(const mx::gemm_plan& p) {
  if (p.split_k == 1) return "one part";
  const bool pairs = p.split_order == mx::split_order::pairwise;
  return std::to_string(p.split_k) + (pairs ? " parts in pairs" : " parts ascending");
}

std::string entry_text(const mx::gemm_plan& p) {
  return p.c_entry == mx::c_entry::epilogue ? "C in the epilogue" : "C in the first step";
}

std::string rounding_text(const mx::gemm_plan& p) {
  return std::string(mx::name_in(mx::rounding_table, p.output_rounding));
}

/// Collects alternatives to a declared plan.
class plan_list {
 public:
  plan_list(const mx::gemm_plan& declared, std::int64_t k) : declared_(declared), k_(k) {}

  /// Adds the declared plan with a change, if that is possible and has an effect in words.
  template <class Text, class Change>
  void add(std::string_view dimension, const Text& text, const Change& change) {
    mx::gemm_plan plan = declared_;
    change(plan);
    if (mx::refusal_of(plan) != mx::gemm_refusal::none) return;
    const std::string expected = text(declared_), found = text(plan);
    if (expected != found) plans_.push_back({{dimension, expected, found}, plan});
  }

  void add_roundings() {
    // A sum that is written unchanged was not rounded to the output.
    if (mx::is_sum(declared_) || declared_.output == mx::formats::binary32) return;
    using enum mx::rounding;
    for (const mx::rounding how : {ties_to_even, ties_away, ties_toward_zero, toward_zero}) {
      add("output_rounding", rounding_text, [how](mx::gemm_plan& p) { p.output_rounding = how; });
    }
  }

  void add_entry() {
    using enum mx::c_entry;
    add("operation_order", entry_text,
        [](mx::gemm_plan& p) { p.c_entry = p.c_entry == first_step ? epilogue : first_step; });
  }

  /// Those that reach over all of K are one: only C is added to what they leave whole.
  void add_promotions(addend_given c) {
    bool whole = c == addend_given::no;
    for (const int every : {0, 128, 64, 256, 512}) {
      if (every >= k_ && std::exchange(whole, true)) continue;
      add("operation_order", promotion_text, [every](mx::gemm_plan& p) { p.promote = every; });
    }
  }

  void add_splits() {
    std::set<std::int64_t> sizes;
    for (int parts = 1; parts <= 16; ++parts) {
      if (!sizes.insert(part_size(parts)).second) continue;
      for (const auto order : {mx::split_order::ascending, mx::split_order::pairwise}) {
        const auto split = [=](mx::gemm_plan& p) { p.split_k = parts, p.split_order = order; };
        const bool same_order = parts < 3 && order == mx::split_order::pairwise;
        if (!same_order && cuts(split)) add("operation_order", split_text, split);
      }
    }
  }

  void add_factors(const mx::sum_factors& factors) {
    for (const factor_hypothesis& other : factors_beside(factors)) {
      plans_.push_back({other, declared_});
      plans_.back().plan.alpha = other.alpha;
    }
  }

  [[nodiscard]] std::vector<plan_hypothesis> taken() { return std::move(plans_); }

 private:
  /// Whether a split leaves K whole, or cuts it.
  template <class Split>
  [[nodiscard]] bool cuts(const Split& split) const {
    mx::gemm_plan plan = declared_;
    split(plan);
    return plan.split_k == 1 || mx::part_size(plan, k_) < k_;
  }

  [[nodiscard]] std::int64_t part_size(int parts) const {
    mx::gemm_plan plan = declared_;
    plan.split_k = parts;
    return mx::part_size(plan, k_);
  }

  const mx::gemm_plan& declared_;
  std::int64_t k_;
  std::vector<plan_hypothesis> plans_;
};

}  // namespace

std::vector<plan_hypothesis> hypotheses_beside(const mx::gemm_plan& declared,
                                               const mx::sum_factors& factors, std::int64_t k,
                                               addend_given c) {
  plan_list plans(declared, k);
  plans.add_roundings();
  if (c == addend_given::yes) plans.add_entry();
  plans.add_promotions(c);
  plans.add_splits();
  plans.add_factors(factors);
  return plans.taken();
}

}  // namespace golden::validator
