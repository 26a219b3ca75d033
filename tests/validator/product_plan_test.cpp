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
  const auto plans = hypotheses_beside(declared(), 256, addend_given::no);
  CHECK(found_in(plans, "operation_order") ==
        std::vector<std::string>{"promotion every 128", "promotion every 64", "2 parts ascending",
                                 "4 parts ascending", "4 parts in pairs"});
  CHECK(found_in(plans, "output_rounding").empty());
  CHECK(found_in(plans, "tensor_scale").empty());
  for (const plan_hypothesis& plan : plans) CHECK(plan.expected != plan.found);
  CHECK(hypotheses_beside(declared(), 32, addend_given::no).empty());
}

TEST_CASE("what_was_declared_otherwise_is_left_out_too") {
  mx::gemm_plan plan = declared();
  plan.promote_every = 128;
  plan.alpha = 2;
  plan.output = mx::formats::bfloat16;
  const auto plans = hypotheses_beside(plan, 256, addend_given::yes);
  const auto orders = found_in(plans, "operation_order");
  CHECK(std::find(orders.begin(), orders.end(), "no promotion") != orders.end());
  CHECK(std::find(orders.begin(), orders.end(), "C in the epilogue") != orders.end());
  CHECK(found_in(plans, "output_rounding") ==
        std::vector<std::string>{"nearest-away", "nearest-zero", "toward-zero"});
  CHECK(found_in(plans, "tensor_scale") == std::vector<std::string>{"no alpha"});
}

TEST_CASE("sums_in_fp16_have_neither_promotion_nor_parts") {
  const mx::gemm_plan plan{.model = mx::model_named("volta.mma.f16.f16")->model,
                           .output = mx::formats::binary16};
  CHECK(hypotheses_beside(plan, 4096, addend_given::no).empty());
}
