// SPDX-License-Identifier: Apache-2.0
// tests/validator/product_plan_test.cpp: alternative plans to a declared one.
#include "golden/validator/product/plan.h"

#include <algorithm>

#include "catch.h"
#include "mx/dot/models.h"

using golden::validator::addend_given;
using golden::validator::hypotheses_beside;
using golden::validator::plan_hypothesis;

namespace {

mx::gemm_plan declared() { return {.model = mx::model_named("blackwell.mxf4")->model}; }

std::vector<std::string> found_in(const std::vector<plan_hypothesis>& plans,
                                  std::string_view dimension) {
  std::vector<std::string> found;
  for (const plan_hypothesis& plan : plans) {
    if (plan.dimension == dimension) found.push_back(plan.found);
  }
  return found;
}

}  // namespace

TEST_CASE("plans_differ_in_one_thing_and_make_sense_over_k") {
  const auto plans = hypotheses_beside(declared(), {}, 256, addend_given::no);
  CHECK(found_in(plans, "operation_order") ==
        std::vector<std::string>{"promotion every 128", "promotion every 64", "2 parts ascending",
                                 "4 parts ascending", "4 parts in pairs"});
  CHECK(found_in(plans, "output_rounding").empty());
  CHECK(found_in(plans, "tensor_scale").empty());
  for (const plan_hypothesis& plan : plans) CHECK(plan.expected != plan.found);
  CHECK(hypotheses_beside(declared(), {}, 32, addend_given::no).empty());
  // With C a promotion behind all of K is another sum, and one of them stands for all.
  CHECK(found_in(hypotheses_beside(declared(), {}, 64, addend_given::yes), "operation_order") ==
        std::vector<std::string>{"C in the epilogue", "promotion every 128"});
  const auto parts =
      found_in(hypotheses_beside(declared(), {}, 16 * 64, addend_given::no), "operation_order");
  CHECK(std::ranges::count(parts, "16 parts ascending") == 1);
  CHECK(std::ranges::count(parts, "16 parts in pairs") == 1);
}

TEST_CASE("what_was_declared_otherwise_is_left_out_too") {
  mx::gemm_plan plan = declared();
  plan.promote = 128;
  plan.alpha = 2;
  plan.output = mx::formats::bfloat16;
  const auto plans = hypotheses_beside(plan, {.alpha = 2}, 256, addend_given::yes);
  const auto orders = found_in(plans, "operation_order");
  CHECK(std::find(orders.begin(), orders.end(), "no promotion") != orders.end());
  CHECK(std::find(orders.begin(), orders.end(), "C in the epilogue") != orders.end());
  CHECK(found_in(plans, "output_rounding") ==
        std::vector<std::string>{"nearest-away", "nearest-zero", "toward-zero"});
  CHECK(found_in(plans, "tensor_scale") == std::vector<std::string>{"none"});
}

TEST_CASE("sums_in_fp16_have_neither_promotion_nor_parts") {
  const mx::gemm_plan plan{.model = mx::model_named("volta.mma.f16.f16")->model,
                           .output = mx::formats::binary16};
  CHECK(hypotheses_beside(plan, {}, 4096, addend_given::no).empty());
}

TEST_CASE("other_factors_of_the_sums_are_told_apart") {
  const mx::sum_factors all{0.37F, 0x1.2345p-9F, 0x1.6789p-7F};
  const mx::gemm_plan plan{.model = declared().model, .alpha = mx::combined(all)};
  const auto plans = hypotheses_beside(plan, all, 32, addend_given::no);
  CHECK(found_in(plans, "tensor_scale") ==
        std::vector<std::string>{"both tensor scales", "alpha and the tensor scale of B",
                                 "alpha and the tensor scale of A", "the tensor scale of B",
                                 "the tensor scale of A", "alpha", "none",
                                 "alpha and the reciprocal of both tensor scales"});
  CHECK(found_in(plans, "operation_order") ==
        std::vector<std::string>{"alpha times the tensor scale of A, then of B"});
  CHECK(plans[0].expected == "alpha and both tensor scales");
  CHECK(plans[0].plan.alpha == all.a * all.b);
  CHECK(plans[1].plan.alpha == all.alpha * all.b);
  CHECK(plans[7].plan.alpha == all.alpha * (1 / (all.a * all.b)));
  CHECK(plans[8].plan.alpha == all.alpha * all.a * all.b);
}

TEST_CASE("factors_that_make_no_difference_are_left_out") {
  const mx::sum_factors one{.a = 0.5F};
  const mx::gemm_plan plan{.model = declared().model, .alpha = 0.5F};
  const auto plans = hypotheses_beside(plan, one, 32, addend_given::no);
  CHECK(found_in(plans, "tensor_scale") ==
        std::vector<std::string>{"none", "the reciprocal of the tensor scale of A"});
  CHECK(plans[0].expected == "the tensor scale of A");
  CHECK(found_in(plans, "operation_order").empty());
}
