// SPDX-License-Identifier: Apache-2.0
// tests/unit/dot/bulk_dot_test.cpp: mx/dot/bulk_dot.h. Many dot products against mx::dot, bit for
// bit, on every instruction set and way to add products of bytes.
#include "mx/dot/bulk_dot.h"

#include <string>
#include <vector>

#include "catch.h"
#include "gemm_cases.h"
#include "instruction_sets.h"
#include "mx/dot/bulk_gemm.h"

namespace {

using tests::operand_kind;
using words = std::vector<std::uint32_t>;

void compare(const mx::dot_model& model, std::int64_t count, int k, operand_kind kind,
             std::uint32_t seed) {
  std::mt19937 random(seed);
  const tests::byte_lines a = tests::draw_lines(model.a, model, kind, count, k, random);
  const tests::byte_lines b = tests::draw_lines(model.b, model, kind, count, k, random);
  const words c = tests::draw_addends(kind, static_cast<std::size_t>(count), random);
  words expected;
  for (std::int64_t v = 0; v < count; ++v) {
    expected.push_back(mx::dot(model, a.line(v), b.line(v), k, c[static_cast<std::size_t>(v)]));
  }
  test::on_all_instruction_sets([&] {
    std::vector<std::string> ways = mx::dot_instructions();
    ways.emplace_back();
    for (const std::string& way : ways) {
      INFO("kind " << static_cast<int>(kind) << ", products of bytes: " << way);
      mx::use_dot_instruction(way);
      words d(c.size());
      mx::dot_all(model, {count, k, a.codes.data(), b.codes.data(), a.operand().scales,
                          b.operand().scales, c.data(), d.data()});
      const bool same = d == expected;
      CHECK(same);
    }
    mx::use_dot_instruction("");
  });
}

TEST_CASE("words_of_blackwell_mxf4_equal_the_core") {
  const mx::dot_model model = mx::model_named("blackwell.mxf4")->model;
  std::uint32_t seed = 0;
  for (const operand_kind kind : tests::operand_kinds) {
    for (const std::int64_t count : {1, 4, 7, 3000}) compare(model, count, 64, kind, ++seed);
    compare(mx::with_scales(model, mx::formats::e8m0, 16), 2000, 64, kind, ++seed);
    for (const int k : {1, 40, 96, 128, 200}) compare(model, 50, k, kind, ++seed);
  }
}

TEST_CASE("words_of_blackwell_mxf4nvf4_equal_the_core") {
  const mx::dot_model model = mx::model_named("blackwell.mxf4nvf4")->model;
  std::uint32_t seed = 50;
  for (const operand_kind kind : tests::operand_kinds) {
    for (const int k : {16, 64, 150}) compare(model, 2000, k, kind, ++seed);
    compare(mx::with_scales(model, mx::formats::ue4m3, 32), 500, 128, kind, ++seed);
  }
}

/// 4 - 4 under scales of 0 and of 2^-9 raises no exponent: C = 2^-40 stays.
TEST_CASE("a_cancelled_group_under_a_zero_scale_is_zero") {
  const mx::dot_model model = mx::model_named("blackwell.mxf4nvf4")->model;
  std::vector<std::uint8_t> a(4 * 64), b(4 * 64, 2), ones(4 * 4, 0x78), scales(4 * 4, 0);
  for (std::size_t w = 0; w < 4; ++w) a[w * 64] = 6, a[w * 64 + 1] = 14;
  const words c(4, mx::bits_of(0x1.000002p-40F));
  words d(4);
  mx::dot_all(model, {4, 64, a.data(), b.data(), scales.data(), ones.data(), c.data(), d.data()});
  CHECK(d == c);
  CHECK(mx::dot(model, a.data(), b.data(), 64, c[0], scales.data(), ones.data()) == c[0]);
}

/// Steps after one that overflows or has a NaN scale.
TEST_CASE("inf_and_nan_of_one_step_reach_the_last") {
  const mx::dot_model model = mx::model_named("blackwell.mxf4")->model;
  for (const std::uint8_t scale : {std::uint8_t{0xFE}, std::uint8_t{0xFF}}) {
    std::vector<std::uint8_t> a(4 * 192, 7), b(4 * 192, 7), scales(4 * 6, 127);
    for (std::size_t w = 0; w < 4; ++w) scales[w * 6 + 2] = scale;
    words c(4, 0), d(4), expected;
    for (std::size_t w = 0; w < 4; ++w) {
      expected.push_back(
          mx::dot(model, &a[w * 192], &b[w * 192], 192, c[w], &scales[w * 6], &scales[w * 6]));
    }
    mx::dot_all(model,
                {4, 192, a.data(), b.data(), scales.data(), scales.data(), c.data(), d.data()});
    CHECK(d == expected);
    CHECK(mx::unpack(mx::float_of(d[0])).is_special());
  }
}

TEST_CASE("words_of_other_models_equal_the_core") {
  std::uint32_t seed = 100;
  for (const char* name : {"blackwell.mxf4nvf4", "ada.mma.e4m3.f32", "fp32.pairwise"}) {
    compare(mx::model_named(name)->model, 100, 80, operand_kind::any, ++seed);
  }
}

/// Words of -0, and of products of -2^-161, on the kernel for blackwell.mxf4.
TEST_CASE("zero_words_of_blackwell_mxf4_are_plus_zero") {
  const mx::dot_model model = mx::model_named("blackwell.mxf4")->model;
  for (const bool vanishing : {false, true}) {
    std::vector<std::uint8_t> a(4 * 64, vanishing ? 9 : 8), b(4 * 64, 2), scales(4 * 2, 47);
    const words c{0, 0x80000000, 0x80000000, 0};
    test::on_all_instruction_sets([&] {
      words d(4, 1);
      mx::dot_all(model,
                  {4, 64, a.data(), b.data(), scales.data(), scales.data(), c.data(), d.data()});
      CHECK(d == words(4, 0));
    });
  }
}

TEST_CASE("wider_codes_are_taken_too") {
  const mx::dot_model model = mx::model_named("ampere.mma.bf16.f32")->model;
  const std::vector<std::uint16_t> a(40, 0x3F80), b(40, 0x4000);
  const words c{0, 0x3F800000};
  words d(2);
  std::uint64_t done = 0;
  mx::dot_all(model, {2, 20, a.data(), b.data(), nullptr, nullptr, c.data(), d.data()},
              [&](std::uint64_t count) { done += count; });
  CHECK(d == words{mx::bits_of(40.0F), mx::bits_of(41.0F)});
  CHECK(done == 2);
  mx::dot_all(model, mx::dot_words<std::uint32_t>{});
}

}  // namespace
