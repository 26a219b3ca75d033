// SPDX-License-Identifier: Apache-2.0
// tests/unit/dot/bulk_gemm_plan_test.cpp: mx/dot/bulk_gemm.h: parts, pieces, alpha, outputs and
// threads of whole products, against mx::gemm_element.
#include "mx/dot/bulk_gemm.h"

#include <tbb/global_control.h>

#include <atomic>
#include <utility>

#include "catch.h"
#include "gemm_against_core.h"

namespace {

using mx::gemm_plan;
using tests::compare;
using tests::fast_models;
using tests::operand_kind;
using tests::plan_of;
using tests::product_case;
using tests::require_same;
using tests::words;

TEST_CASE("parts_promotions_alpha_and_outputs_equal_the_core") {
  std::uint32_t seed = 300;
  for (const char* name : fast_models) {
    for (const int promote : {0, 64, 128, 96}) {
      for (const int parts : {1, 2, 3, 7}) {
        gemm_plan plan = plan_of(name);
        plan.promote = promote;
        plan.split_k = parts;
        plan.split_order = parts == 7 ? mx::split_order::pairwise : mx::split_order::ascending;
        plan.c_entry = parts == 3 ? mx::c_entry::epilogue : mx::c_entry::first_step;
        plan.alpha = promote == 64 ? 0.3F : 1.0F;
        plan.output = promote == 128 ? mx::formats::bfloat16 : mx::formats::binary16;
        plan.output_rounding = parts == 2 ? mx::rounding::toward_zero : mx::rounding::ties_to_even;
        const operand_kind kind = promote == 0 ? operand_kind::any : operand_kind::near;
        compare(plan, {3, 20, 1000}, kind, ++seed);
      }
    }
  }
}

TEST_CASE("pieces_that_end_within_a_step_of_64_equal_the_core") {
  std::uint32_t seed = 900;
  for (const auto& [name, block] :
       {std::pair{"blackwell.mxf4", 32}, {"blackwell.mxf4nvf4", 16}, {"fp32.sequential", 32}}) {
    for (const int blocks : {1, 3, 5, 8}) {
      for (const int parts : {1, 4}) {
        gemm_plan plan = plan_of(name);
        plan.promote = blocks * block, plan.split_k = parts;
        INFO(name << ", promoted every " << plan.promote << ", parts " << parts);
        compare(plan, {9, 33, 500}, operand_kind::spread, ++seed);
        compare(plan, {3, 18, 130}, operand_kind::any, ++seed);
      }
    }
  }
}

TEST_CASE("threads_change_no_bit") {
  const product_case product(plan_of("blackwell.mxf4"), {400, 300, 192}, operand_kind::spread, 400);
  const words expected = product.by_core();
  for (const std::size_t threads : {1, 2, 3}) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    words d(expected.size());
    std::atomic<std::uint64_t> done{0};
    mx::gemm(product.plan, product.shape, product.a.operand(), product.b.operand(), nullptr,
             d.data(), [&](std::uint64_t count) { done += count; });
    require_same(d, expected);
    CHECK(done == d.size());
  }
}

}  // namespace
