// SPDX-License-Identifier: Apache-2.0
// tests/validator/product_comparison_test.cpp: the models that a D is consistent with, and the
// first element that excludes each other model.
#include "golden/validator/product/comparison.h"

#include <string>

#include "catch.h"
#include "drawn_product.h"
#include "golden/validator/product/distinction.h"

using namespace golden::validator;
using tests::draw;
using tests::drawn_product;

namespace {

constexpr mx::gemm_shape shape{9, 70, 256};

const char* const some_models[] = {"volta.mma.f16.f32",
                                   "ampere.mma.bf16.f32",
                                   "hopper.mma.tf32.f32",
                                   "hopper.mma.f16.f16",
                                   "ada.mma.e4m3.f32",
                                   "hopper.mma.e4m3.f32",
                                   "hopper.wgmma.e5m2.f32",
                                   "blackwell.tcgen05.e4m3.f16",
                                   "blackwell.mxf4",
                                   "blackwell.mxf4nvf4",
                                   "blackwell.mxf8f6f4.e4m3.e5m2",
                                   "cdna1.mfma.f16.f32",
                                   "cdna2.mfma.bf16.f32",
                                   "cdna3.mfma.f16.f32",
                                   "cdna3.mfma.e4m3fnuz.f32",
                                   "ada.mma.e4m3.e5m2.f32",
                                   "exact.rne",
                                   "exact.rz",
                                   "fp32.fma",
                                   "fp32.sequential",
                                   "fp32.pairwise"};

std::vector<product_model> candidates_of(const mx::dot_model& m) {
  std::optional<mx::format> scale;
  if (m.block > 0) scale = m.scale;
  return models_taking({m.a, m.b, scale, m.block});
}

product_comparison compared_with(const drawn_product& p, const mx::dot_model& model) {
  mx::gemm_plan plan = p.plan;
  plan.model = model;
  return compared(plan, p.operands(), p.words(), comparison_reach::first_number);
}

/// The first difference in row-major order, one element at a time.
std::optional<product_difference> slow_first(const drawn_product& p, const mx::dot_model& model) {
  mx::gemm_plan plan = p.plan;
  plan.model = model;
  std::vector<std::uint32_t> expected(p.d.size());
  mx::gemm(plan, p.shape, p.operands().a, p.operands().b, p.c.data(), expected.data());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    if (expected[i] == p.d[i]) continue;
    return product_difference{at / p.shape.n, at % p.shape.n, expected[i], p.d[i]};
  }
  return {};
}

}  // namespace

TEST_CASE("a_models_own_product_excludes_all_other_arithmetics_on_wide_data") {
  for (const char* const name : some_models) {
    const drawn_product p(tests::plan_named(name), shape, draw::spread, 1);
    int excluded = 0;
    for (const product_model& other : candidates_of(p.plan.model)) {
      // C of another format is another product.
      if (!(other.model.sum.result == p.plan.model.sum.result)) continue;
      INFO(name << " against " << other.entry->name);
      const product_comparison c = compared_with(p, other.model);
      const auto slow = slow_first(p, other.model);
      REQUIRE(c.first.has_value() == slow.has_value());
      if (!slow) continue;
      ++excluded;
      CHECK(c.first->row == slow->row);
      CHECK(c.first->column == slow->column);
      CHECK(c.first->expected == slow->expected);
      CHECK(c.first->found == slow->found);
      CHECK_FALSE(telling_data(other.model, p.plan.model).empty());
    }
    INFO(name);
    CHECK(compared_with(p, p.plan.model).is_equal());
    CHECK(sample_agrees(p.plan, p.operands(), p.words()));
    CHECK(excluded >= 4);
  }
}

TEST_CASE("one_flipped_bit_anywhere_excludes_a_model_and_is_found") {
  drawn_product p(tests::plan_named("blackwell.mxf4"), shape, draw::near, 2);
  for (const std::int64_t at : {0L, 63L, 64L, 69L, 70L, 349L, 350L, 629L}) {
    drawn_product broken = p;
    broken.d[static_cast<std::size_t>(at)] ^= 1;
    const auto c = compared(p.plan, p.operands(), {p.c, broken.d}, comparison_reach::all);
    REQUIRE(c.first);
    CHECK((c.numbers == 1 && c.nan_codes == 0));
    CHECK((c.first->row == at / shape.n && c.first->column == at % shape.n));
    CHECK((c.first->expected ^ c.first->found) == 1);
  }
}

TEST_CASE("a_nan_of_another_code_is_a_difference_of_its_own_kind") {
  drawn_product p(tests::plan_named("hopper.wgmma.e4m3.f32"), shape, draw::near, 3);
  p.a[0] = 0x7F;
  mx::gemm(p.plan, p.shape, p.operands().a, p.operands().b, p.c.data(), p.d.data());
  for (std::size_t i = 0; i < 70; ++i) p.d[i] = 0x7FC00000;
  const auto c = compared(p.plan, p.operands(), p.words(), comparison_reach::all);
  CHECK((c.nan_codes == 70 && c.numbers == 0 && c.differs_in_nan_codes_only()));
  REQUIRE(c.first);
  CHECK((c.first->expected == 0x7FFFFFFF && c.first->found == 0x7FC00000));
  p.d[100] ^= 1;
  const auto both = compared(p.plan, p.operands(), p.words(), comparison_reach::first_number);
  CHECK((both.numbers == 1 && both.nan_codes == 70 && both.first->column == 0));
}

TEST_CASE("a_sample_finds_a_wrong_plan_and_a_wrong_row") {
  drawn_product p(tests::plan_named("fp32.sequential"), {64, 64, 512}, draw::near, 4);
  mx::gemm_plan promoted = p.plan;
  promoted.promote = 128;
  CHECK_FALSE(sample_agrees(promoted, p.operands(), p.words()));
  for (std::size_t i = 0; i < 64; ++i) p.d[63 * 64 + i] ^= 1;
  CHECK_FALSE(sample_agrees(p.plan, p.operands(), p.words()));
}

TEST_CASE("elements_that_excluded_others_are_looked_at_first") {
  drawn_product p(tests::plan_named("fp32.sequential"), {50, 50, 64}, draw::near, 6);
  p.d[7 * 50 + 1] ^= 1;  // between the rows and columns of the sample
  CHECK(sample_agrees(p.plan, p.operands(), p.words()));
  const product_difference seen[] = {{7, 1, 0, 0}};
  CHECK_FALSE(sample_agrees(p.plan, p.operands(), p.words(), seen));
}

TEST_CASE("products_without_elements_agree_with_everything") {
  const drawn_product p(tests::plan_named("exact.rne"), {0, 5, 32}, draw::near, 5);
  CHECK(compared(p.plan, p.operands(), p.words(), comparison_reach::all).is_equal());
  CHECK(sample_agrees(p.plan, p.operands(), p.words()));
}

TEST_CASE("models_of_one_arithmetic_are_told_apart_by_nothing") {
  CHECK(telling_data(tests::plan_named("ampere.mma.f16.f32").model,
                     tests::plan_named("turing.mma.f16.f32").model)
            .empty());
  const auto data = telling_data(tests::plan_named("blackwell.mxf4").model,
                                 tests::plan_named("blackwell.mxf8f6f4.e2m1.e2m1").model);
  REQUIRE_FALSE(data.empty());
  CHECK(data.front() == "terms of one step whose exponents differ by more than 25 bits");
}
