// SPDX-License-Identifier: Apache-2.0
// tests/unit/dot/gemm_test.cpp: mx/dot/gemm.h: parts, promotions, alpha and outputs, on numbers
// that distinguish the orders.
#include "mx/dot/gemm.h"

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "catch.h"
#include "mx/dot/models.h"

namespace {

using mx::bits_of;
using mx::c_entry;
using mx::float_of;
using mx::gemm_plan;
using mx::gemm_refusal;
using mx::split_order;
namespace formats = mx::formats;

/// a[k] * 1, of FP32 numbers.
gemm_plan plan_of_numbers() {
  gemm_plan plan;
  plan.model =
      mx::with_formats(mx::model_named("fp32.fma")->model, formats::binary32, formats::binary32);
  plan.model.block = 0;
  return plan;
}

std::uint32_t sum_of(const gemm_plan& plan, const std::vector<float>& a, float c = 0) {
  std::vector<std::uint32_t> left, ones(a.size(), bits_of(1.0F));
  for (const float x : a) left.push_back(bits_of(x));
  using operand = mx::dot_operand<std::uint32_t>;
  return mx::gemm_element(plan, operand{{left.data()}}, operand{{ones.data()}},
                          static_cast<int>(a.size()), bits_of(c));
}

float value_of(const gemm_plan& plan, const std::vector<float>& a, float c = 0) {
  return float_of(sum_of(plan, a, c));
}

std::vector<float> many(std::size_t count, float first, float rest) {
  std::vector<float> a(count, rest);
  a[0] = first;
  return a;
}

TEST_CASE("a_promoted_piece_begins_with_zero") {
  // 2^24 + 1 is lost each time; four ones together are not.
  gemm_plan plan = plan_of_numbers();
  const std::vector<float> a = many(9, 0x1p24F, 1);
  CHECK(value_of(plan, a) == 0x1p24F);
  plan.promote = 4;
  // 2^24 + 0 + 0 + 0, then 4, then 1.
  CHECK(value_of(plan, a) == 0x1p24F + 4);
  CHECK(value_of(plan, {1, 1, 1, 1}, 0x1p24F) == 0x1p24F + 4);
}

TEST_CASE("parts_are_whole_pieces_and_their_order_shows") {
  gemm_plan plan = plan_of_numbers();
  plan.split_k = 3;
  CHECK(mx::part_size(plan, 192) == 64);
  CHECK(mx::part_size(plan, 193) == 128);
  CHECK(mx::part_size(plan, 1) == 64);
  std::vector<float> a(192, 0.0F);
  a[0] = 1, a[64] = 0x1p24F, a[128] = -0x1p24F;
  CHECK(value_of(plan, a) == 0);  // (1 + 2^24) - 2^24
  a[0] = 0x1p24F, a[64] = -0x1p24F, a[128] = 1;
  CHECK(value_of(plan, a) == 1);
  plan.promote = 96;
  CHECK(mx::part_size(plan, 192) == 96);
}

TEST_CASE("parts_begin_with_a_block_of_any_size") {
  gemm_plan plan{.model = mx::model_named("exact.rne")->model};
  plan.split_k = 2;
  for (const auto& [block, size] : {std::pair{16, 64}, {32, 64}, {24, 72}, {48, 96}, {96, 96}}) {
    plan.model.block = block;
    CHECK(mx::part_size(plan, 2) == size);
    CHECK(mx::part_size(plan, 2 * size + 1) == 2 * size);
  }
  // Ones under scales of 2^0, 2^1, ...: a block of 24 that begins at 64 would take another's scale.
  plan.model.block = 24;
  const std::vector<std::uint8_t> codes(96, 2), scales{127, 128, 129, 130}, unit(4, 127);
  using operand = mx::dot_operand<std::uint8_t>;
  const operand a{{codes.data()}, {scales.data()}}, b{{codes.data()}, {unit.data()}};
  CHECK(mx::gemm_element(plan, a, b, 96, 0) == bits_of(24.0F * (1 + 2 + 4 + 8)));
}

TEST_CASE("an_odd_part_passes_up_in_pairs") {
  gemm_plan plan = plan_of_numbers();
  plan.split_k = 3;
  std::vector<float> a(192, 0.0F);
  a[0] = 0x1p24F, a[64] = 1, a[128] = 1;
  CHECK(value_of(plan, a) == 0x1p24F);
  plan.split_k = 4;
  a.resize(256);
  a[192] = 1;  // (2^24 + 1) + (1 + 1)
  CHECK(value_of(plan, a) == 0x1p24F);
  plan.split_order = split_order::pairwise;
  CHECK(value_of(plan, a) == 0x1p24F + 2);
}

TEST_CASE("c_enters_first_or_last") {
  gemm_plan plan = plan_of_numbers();
  CHECK(value_of(plan, {1, 1}, 0x1p24F) == 0x1p24F);
  plan.c_entry = c_entry::epilogue;
  CHECK(value_of(plan, {1, 1}, 0x1p24F) == 0x1p24F + 2);
  plan.alpha = 0.5F;
  CHECK(value_of(plan, {1, 1}, 3) == 4);
  plan.c_entry = c_entry::first_step;
  CHECK(value_of(plan, {1, 1}, 4) == 3);  // alpha takes C with it
}

TEST_CASE("outputs_are_rounded_once_as_declared") {
  gemm_plan plan = plan_of_numbers();
  plan.output = formats::bfloat16;
  CHECK(sum_of(plan, {0x1.03p0F}) == 0x3F82);  // a tie, to even
  plan.output_rounding = mx::rounding::toward_zero;
  CHECK(sum_of(plan, {0x1.03p0F}) == 0x3F81);
  CHECK(sum_of(plan, {-0x1.fffffep127F}) == 0xFF7F);
  CHECK(sum_of(plan, {-HUGE_VALF}) == 0xFF80);  // an Inf is none that overflows
  plan.output = formats::binary16;
  CHECK(sum_of(plan, {0x1p127F}) == 0x7BFF);
  CHECK(sum_of(plan, {HUGE_VALF}) == 0x7C00);
  plan.output = formats::bfloat16;
  plan.output_rounding = mx::rounding::ties_to_even;
  CHECK(sum_of(plan, {-0x1.fffffep127F}) == 0xFF80);
  plan.output = formats::binary16;
  CHECK(sum_of(plan, {65520}) == 0x7C00);
  CHECK(sum_of(plan, {65519}) == 0x7BFF);
  CHECK(sum_of(plan, {-0x1p-25F}) == 0x8000);
}

TEST_CASE("a_nan_is_that_of_the_model") {
  gemm_plan plan = plan_of_numbers();
  CHECK(sum_of(plan, {float_of(0x7F800001)}) == 0x7FC00000);
  plan.output = formats::bfloat16;
  CHECK(sum_of(plan, {float_of(0x7F800001)}) == 0x7FC0);
  plan.model.sum.nan_code = 0x7FFFFFFF;
  CHECK(sum_of(plan, {float_of(0x7F800001)}) == 0x7FFF);
  plan.output = formats::binary32;
  plan.promote = 1;
  CHECK(sum_of(plan, {float_of(0x7F800000), float_of(0xFF800000)}) == 0x7FFFFFFF);
}

TEST_CASE("plans_that_make_no_sense_are_refused") {
  gemm_plan plan;
  plan.model = mx::model_named("blackwell.mxf4")->model;
  CHECK(mx::refusal_of(plan) == gemm_refusal::none);
  plan.promote = 48;
  CHECK(mx::refusal_of(plan) == gemm_refusal::promote);
  plan.promote = 0, plan.split_k = 0;
  CHECK(mx::refusal_of(plan) == gemm_refusal::split_k);
  plan.split_k = 1 << 16;
  CHECK(mx::refusal_of(plan) == gemm_refusal::none);
  plan.split_k = gemm_plan::most_parts + 1;
  CHECK(mx::refusal_of(plan) == gemm_refusal::split_k);
  plan.split_k = 1, plan.output = formats::e4m3;
  CHECK(mx::refusal_of(plan) == gemm_refusal::output);
  plan.output = formats::binary16, plan.output_rounding = mx::rounding::stochastic;
  CHECK(mx::refusal_of(plan) == gemm_refusal::rounding);
  gemm_plan narrow{.model = mx::model_named("ampere.mma.f16.f16")->model};
  CHECK(mx::refusal_of(narrow) == gemm_refusal::none);
  narrow.split_k = 2;
  CHECK(mx::refusal_of(narrow) == gemm_refusal::result);
}

}  // namespace
