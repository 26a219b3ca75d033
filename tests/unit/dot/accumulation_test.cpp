// SPDX-License-Identifier: Apache-2.0
// tests/unit/dot/accumulation_test.cpp: mx/dot/accumulation.h.
#include "catch.h"
#include "mx/dot/models.h"

namespace {

TEST_CASE("a_model_keeps_its_arithmetic_when_its_operands_change") {
  const mx::dot_model& exact = mx::model_named("exact.rne")->model;
  const mx::dot_model other = mx::with_scales(
      mx::with_formats(exact, mx::formats::e4m3, mx::formats::e5m2), mx::formats::ue4m3, 16);
  CHECK(other.sum == exact.sum);
  CHECK(other.a == mx::formats::e4m3);
  CHECK(other.b == mx::formats::e5m2);
  CHECK(other.scale == mx::formats::ue4m3);
  CHECK(other.block == 16);
  const mx::dot_model zeros = mx::with_zeros(exact, mx::zero_term::floor, -7);
  CHECK(zeros.sum.zeros == mx::zero_term::floor);
  CHECK(zeros.sum.zero_exponent == -7);
}

TEST_CASE("models_are_equal_where_every_choice_is") {
  const mx::dot_model& model = mx::model_named("hopper.mma.f16.f32")->model;
  CHECK(model == mx::model_named("blackwell.mma.f16.f32")->model);
  mx::dot_model other = model;
  other.sum.late.far = mx::far_addend::zero;
  CHECK_FALSE(other == model);
}

}  // namespace
