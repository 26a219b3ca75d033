// SPDX-License-Identifier: Apache-2.0
// tests/unit/dot/dot_test.cpp: mx/dot/dot.h: the bits of a sum that each family keeps, single
// products, sums that are not monotone, and codes of any width.
#include "mx/dot/dot.h"

#include <cmath>
#include <random>
#include <vector>

#include "catch.h"
#include "dot_random.h"
#include "dot_run.h"
#include "mx/dot/models.h"

namespace {

using tests::code_of;
using tests::codes;
using tests::model_of;
using tests::random_word;
using tests::run;
using tests::stored;
using tests::value_of;
using tests::words;

/// 2^23 - 2^23 - 0.5 - 0.25 - 0.125, C first: the bits of the last three that a window keeps.
struct witness {
  const char* model;
  float sum;
};

TEST_CASE("each_family_keeps_its_own_part_of_what_stands_below_2_to_the_23") {
  const witness witnesses[] = {{"volta.mma.f16.f32", 0},
                               {"turing.mma.f16.f32", -0.5F},
                               {"ampere.mma.f16.f32", -0.5F},
                               {"ampere.mma.bf16.f32", -0.5F},
                               {"ampere.mma.tf32.f32", -0.5F},
                               {"ada.mma.bf16.f32", -0.5F},
                               {"ada.mma.e5m2.f32", 0},
                               {"hopper.wgmma.e5m2.f32", 0},
                               {"hopper.mma.f16.f32", -0.75F},
                               {"hopper.wgmma.bf16.f32", -0.75F},
                               {"blackwell.tcgen05.e5m2.f32", -0.75F},
                               {"blackwell.tcgen05.f16.f32", -0.75F},
                               {"rtxblackwell.mma.e5m2.f32", -0.75F},
                               {"blackwell.mxf8f6f4.e5m2.e5m2", -0.75F},
                               {"cdna1.mfma.f16.f32", -0.875F},
                               {"cdna1.mfma.bf16.f32", -0.875F},
                               {"cdna2.mfma.bf16.f32", -0.375F},
                               {"cdna2.mfma.bf16_1k.f32", 0},
                               {"cdna2.mfma.f16.f32", 0},
                               {"cdna3.mfma.f16.f32", -0.5F},
                               {"cdna3.mfma.bf16.f32", -0.5F},
                               {"cdna3.mfma.e5m2fnuz.f32", -1.0F},
                               {"exact.rne", -0.875F},
                               {"fp32.fma", -0.875F}};
  for (const witness& w : witnesses) {
    mx::dot_model model = model_of(w.model);
    if (mx::model_named(w.model)->operands == mx::operands::any) {
      model = mx::with_formats(model, mx::formats::binary16, mx::formats::binary16);
    }
    const auto element = [&model](double x) { return stored(model, model.a, x); };
    const codes a = {element(-8192), element(-0.5), element(-0.25), element(-0.125)};
    const codes b = {element(1024), element(1), element(1), element(1)};
    CAPTURE(w.model);
    CHECK(value_of(model, run(model, a, b, mx::bits_of(8388608.0F))) == w.sum);
  }
}

TEST_CASE("grouped_fp4_keeps_all_of_the_witness") {
  const mx::dot_model& model = model_of("blackwell.mxf4");
  codes a(64), b(64);
  a[0] = code_of(model.a, -4);  // -16 * 2^19
  b[0] = code_of(model.b, 4);
  a[32] = a[33] = code_of(model.a, -1);  // (-1 - 0.5 - 0.25) * 2^-1
  b[32] = code_of(model.b, 1);
  b[33] = code_of(model.b, 0.5);
  a[34] = code_of(model.a, -0.5);
  b[34] = code_of(model.b, 0.5);
  CHECK(value_of(model, run(model, a, b, mx::bits_of(8388608.0F), {127 + 11, 126},
                            {127 + 8, 127})) == -0.875F);
}

/// A larger term makes the sum smaller: it raises the largest exponent, and the others lose more.
TEST_CASE("sums_in_a_window_are_not_monotone") {
  const mx::dot_model& m = model_of("volta.mma.f16.f32");
  // C = 2^23, three products just below a half that add up to 1 if the window still holds them.
  const codes b(4, 0x3C00);
  const auto at = [&m, &b](double first) {
    const codes a = {code_of(m.a, first), code_of(m.a, 0.75), code_of(m.a, 0.75),
                     code_of(m.a, 0.75)};
    return value_of(m, mx::dot(m, a.data(), b.data(), 4, mx::bits_of(0x1.fffffep22F)));
  };
  const float before = at(0),
              after = value_of(m, run(m, {code_of(m.a, 0.0078125), 0x3A00, 0x3A00, 0x3A00}, b,
                                      mx::bits_of(0x1.0p23F)));
  CHECK(before == 0x1.fffffep22F + 1.5F);  // in units of 0.5: three times 0.5
  CHECK(after == 0x1p23F);                 // from the next number up, in units of 1: nothing
  CHECK(after < before);
}

TEST_CASE("a_single_product_is_rounded_as_the_model_says") {
  const mx::dot_model& rz = model_of("exact.rz");
  const mx::dot_model& rne = model_of("exact.rne");
  const auto with_binary32 = [](const mx::dot_model& m) {
    return mx::with_formats(m, mx::formats::binary32, mx::formats::binary32);
  };
  std::mt19937 random(5);
  for (int i = 0; i < 20000; ++i) {
    const float x = mx::float_of((random() & 0x807FFFFF) | (100U + random() % 50) << 23);
    const float y = mx::float_of((random() & 0x807FFFFF) | (100U + random() % 50) << 23);
    const double exact = static_cast<double>(x) * y;
    const codes a = {mx::bits_of(x)}, b = {mx::bits_of(y)};
    const auto nearest = static_cast<float>(exact);
    REQUIRE(run(with_binary32(rne), a, b, 0) == mx::bits_of(nearest));
    const bool beyond = std::abs(static_cast<double>(nearest)) > std::abs(exact);
    REQUIRE(run(with_binary32(rz), a, b, 0) == mx::bits_of(nearest) - (beyond ? 1 : 0));
  }
}

TEST_CASE("codes_of_any_width_and_distance_give_the_same_bits") {
  const mx::dot_model& m = model_of("blackwell.mxf4");
  words source(m);
  const random_word w = source.next(64);
  std::vector<std::uint8_t> a(w.a.begin(), w.a.end()), b(64 * 3);
  for (std::size_t i = 0; i < 64; ++i) b[3 * i] = static_cast<std::uint8_t>(w.b[i]);
  const std::vector<std::uint8_t> sa(w.scale_a.begin(), w.scale_a.end());
  const std::vector<std::uint8_t> sb(w.scale_b.begin(), w.scale_b.end());
  const mx::dot_operand<std::uint8_t> x{{a.data()}, {sa.data()}}, y{{b.data(), 3}, {sb.data()}};
  CHECK(mx::dot(m, x, y, 64, w.c) == run(m, w));
  constexpr mx::dot_model fixed = mx::model_named("blackwell.mxf4")->model;
  CHECK(mx::dot<fixed>(w.a.data(), w.b.data(), 64, w.c, w.scale_a.data(), w.scale_b.data()) ==
        run(m, w));
}

/// 2^23 - 2^23 - 0.5 - 0.25 - 0.125 in FP16 products, C first.
constexpr float witness_of_window(int fraction_bits) {
  mx::dot_model model;
  model.sum.fraction_bits = fraction_bits;
  model.sum.zero_exponent = -133;
  const std::uint16_t a[] = {0xF000, 0xB800, 0xB400, 0xB000};  // -8192, -0.5, -0.25, -0.125
  const std::uint16_t b[] = {0x6400, 0x3C00, 0x3C00, 0x3C00};  // 1024, 1, 1, 1
  return mx::float_of(mx::dot(model, a, b, 4, mx::bits_of(0x1p23F)));
}

TEST_CASE("a_dot_product_is_a_constant_expression") {
  STATIC_REQUIRE(witness_of_window(23) == 0);
  STATIC_REQUIRE(witness_of_window(24) == -0.5F);
  STATIC_REQUIRE(witness_of_window(25) == -0.75F);
  STATIC_REQUIRE(witness_of_window(26) == -0.875F);
}

}  // namespace
