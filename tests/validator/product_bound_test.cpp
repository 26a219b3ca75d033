// SPDX-License-Identifier: Apache-2.0
// tests/validator/product_bound_test.cpp: the number of roundings of a class, and hand-computed
// bounds.
#include "golden/validator/product/bound.h"

#include <algorithm>

#include "catch.h"
#include "drawn_product.h"
#include "golden/validator/product/exact_figure.h"

using namespace golden::validator;

namespace {

operation_counts counts(const mx::gemm_plan& plan, std::int64_t k) { return counts_of(plan, k); }

void require_counts(const operation_counts& c, std::uint64_t step_depth, std::uint64_t steps,
                    std::uint64_t add_depth, std::uint64_t additions) {
  CHECK(c.step_depth == step_depth);
  CHECK(c.steps == steps);
  CHECK(c.add_depth == add_depth);
  CHECK(c.additions == additions);
}

product_terms one_term(std::uint64_t significand, int exponent, int read_at) {
  product_terms terms;
  terms.add(mx::unpacked::positive(significand, exponent), read_at);
  return terms;
}

}  // namespace

TEST_CASE("operations_are_counted_along_the_longest_path_and_in_all") {
  require_counts(counts(tests::plan_named("blackwell.mxf4"), 2048), 32, 32, 0, 0);
  require_counts(counts(tests::plan_named("fp32.fma"), 100), 100, 100, 0, 0);
  require_counts(counts(tests::plan_named("exact.rne"), 100), 1, 1, 0, 0);
  require_counts(counts(tests::plan_named("fp32.pairwise"), 7 * 32), 1, 7, 3 + 1, 7);
  // Two steps of 16 and an addition of C for every 32.
  require_counts(counts(tests::plan_named("hopper.mma.e4m3.f32"), 65), 2, 6, 3, 3);
  // Products of FP32, a tree of four, an addition for every four.
  require_counts(counts(tests::plan_named("cdna2.mfma.f16.f32"), 8), 1, 8, 2 + 2, 8);
  mx::gemm_plan plan = tests::plan_named("blackwell.mxf4");
  plan.promote = 128;
  require_counts(counts(plan, 1024), 2, 16, 8, 8);
  plan.split_k = 4;
  plan.split_order = mx::split_order::pairwise;
  require_counts(counts(plan, 1024), 2, 16, 2 + 2, 8 + 3);
  plan.split_order = mx::split_order::ascending;
  require_counts(counts(plan, 1024), 2, 16, 2 + 3, 8 + 3);
  require_counts(counts(plan, 0), 0, 0, 0, 0);
}

TEST_CASE("one_step_toward_zero_is_bounded_by_its_last_place_and_its_cuts") {
  // T = 3, one step, rho = 2^-23; G = 2^-23 + 2^-46. C may be truncated: one unit of 2^(1 - 35),
  // and 2^-149.
  const auto terms = one_term(3, 0, 1);
  const auto b = bound_of(tests::plan_named("blackwell.mxf4"), 64, terms, {});
  REQUIRE(b);
  CHECK(b->overflows == element_bound::range::finite);
  const upper_bound least(3, -23), slack(1, -33), relative(3, -23);
  CHECK(least <= b->error);
  CHECK(b->error <= relative + slack);
  CHECK(relative + upper_bound(3, -46) + upper_bound(1, 1 - 35) <= b->error);
}

TEST_CASE("what_a_model_or_a_plan_adds_to_the_error_is_in_the_bound") {
  mx::gemm_plan plan = tests::plan_named("blackwell.mxf4");
  const auto error_of = [&](const product_terms& terms) {
    return bound_of(plan, 64, terms, {})->error;
  };
  const product_terms terms = one_term(3, 0, 1), tiny = one_term(1, -140, -140);
  const upper_bound plain = error_of(terms);
  CHECK(error_of(tiny) <= upper_bound(1, -130));
  plan.alpha = 4;
  CHECK(upper_bound(4, 0) * plain <= error_of(terms));
  plan.alpha = 1;
  plan.model.sum.inputs = mx::subnormals::flushed;  // of C
  CHECK(upper_bound(1, -126) <= error_of(tiny));
  plan = tests::plan_named("blackwell.mxf4");
  plan.model.sum.parity = mx::parity::even_and_odd;  // whose sums are cut, too
  CHECK(plain + upper_bound(2, 1 - 35) <= error_of(terms));
}

TEST_CASE("terms_with_bits_below_the_window_count_as_cut") {
  const mx::gemm_plan plan = tests::plan_named("blackwell.mxf8f6f4.e4m3.e4m3");
  product_terms inside = one_term(1, 0, 0), below = one_term(1, 0, 0);
  inside.add(mx::unpacked::positive(1, -25), -25);
  below.add(mx::unpacked::positive(1, -26), -26);
  const upper_bound kept = bound_of(plan, 32, inside, {})->error;
  const upper_bound cut = bound_of(plan, 32, below, {})->error;
  CHECK(kept + upper_bound(3, -26) <= cut);
}

TEST_CASE("terms_are_aligned_by_what_they_are_read_at_and_not_by_their_size") {
  // A subnormal, or a small product of large fields: its window begins 40 binades above it.
  product_terms terms = one_term(1, 0, 40);
  const auto b = bound_of(tests::plan_named("blackwell.mxf8f6f4.e4m3.e4m3"), 32, terms, {});
  CHECK(upper_bound(2, 40 - 25) <= b->error);
  // The sum of a group that cancels is aligned at its scales' exponent.
  tests::drawn_product p(tests::plan_named("blackwell.mxf4"), {1, 1, 64}, tests::draw::near, 1);
  std::fill(p.a.begin(), p.a.end(), 0U);
  p.a[0] = p.b[0] = p.a[1] = 2;
  p.b[1] = 10;
  p.scale_a[0] = p.scale_b[0] = 127 + 30;
  p.scale_a[1] = p.scale_b[1] = 127 + 50;  // of groups of zeros, aligned as zeros
  const mx::dot_model& m = p.plan.model;
  terms = terms_of(m, line_of(m, operand_side::a, p.operands().a, 64, 0),
                   line_of(m, operand_side::b, p.operands().b, 64, 0));
  CHECK((terms.count == 0 && terms.largest_exponent == 60));
}

TEST_CASE("what_may_overflow_says_so") {
  const mx::gemm_plan halves = tests::plan_named("hopper.mma.f16.f16");
  using range = element_bound::range;
  CHECK(bound_of(halves, 16, one_term(60000, 0, 15), {})->overflows == range::finite);
  CHECK(bound_of(halves, 16, one_term(65519, 0, 15), {})->overflows == range::may_overflow);
  mx::gemm_plan plan = tests::plan_named("exact.rne");
  plan.alpha = 0x1p100F;
  CHECK(bound_of(plan, 32, one_term(1, 20, 20), {})->overflows == range::finite);
  CHECK(bound_of(plan, 32, one_term(1, 29, 29), {})->overflows == range::may_overflow);
  plan.alpha = 1;
  plan.output = mx::formats::binary16;
  CHECK(bound_of(plan, 32, one_term(1, 16, 16), {})->overflows == range::may_overflow);
}

TEST_CASE("a_class_without_a_bound_says_so") {
  mx::gemm_plan plan = tests::plan_named("ada.mma.e4m3.f32");
  CHECK(bound_of(plan, 16 << 13, one_term(1, 0, 0), {}));
  CHECK(bound_of(plan, 16 << 17, one_term(1, 0, 0), {}));
  CHECK_FALSE(bound_of(plan, 16 << 18, one_term(1, 0, 0), {}));
  plan.alpha = mx::float_of(0x7F800000);
  CHECK_FALSE(bound_of(plan, 16, one_term(1, 0, 0), {}));
}
