// SPDX-License-Identifier: Apache-2.0
// tests/golden/reference/special_value_test.cpp: NaN, Inf, overflow, subnormal results and the
// signs of zeros in the dot products of devices.
#include "catch.h"
#include "dot_case.h"
#include "golden/reference/formats.h"

namespace {

namespace formats = golden::formats;
using golden::device_model;
using golden::number_format;
using golden::power_of_two;
using golden::rational;
using test::dot_case;
using test::fp32_bits;

bool is_device_of_amd(const device_model& model) { return model.name.starts_with("cdna"); }
bool takes_fp16(const device_model& model) { return model.formats.c == &formats::fp16(); }

bool gives_fp16(const device_model& model) { return &model.formats.result() == &formats::fp16(); }

std::uint32_t nan_of(const device_model& model) {
  if (is_device_of_amd(model)) return 0x7fc00000;
  return gives_fp16(model) ? 0x7fff : 0x7fffffff;
}

std::uint32_t infinity_of(const device_model& model) {
  return gives_fp16(model) ? 0x7c00 : 0x7f800000;
}

std::uint32_t sign_of(const device_model& model) { return gives_fp16(model) ? 0x8000 : 0x80000000; }

// Codes of C.
std::uint32_t infinite_addend(const device_model& model) {
  return takes_fp16(model) ? 0x7c00 : 0x7f800000;
}

std::uint32_t nan_addend(const device_model& model) { return infinite_addend(model) + 0x200; }

std::uint32_t sign_of_addend(const device_model& model) {
  return takes_fp16(model) ? 0x8000 : 0x80000000;
}

std::size_t size_of(const device_model& model) { return model.formats.scale == nullptr ? 32 : 64; }

bool has_signed_zero(const number_format& format) { return format.with_sign(true, 0) != 0; }

// The code of a NaN or Inf of an element format, if it has one.
std::optional<std::uint32_t> operand_nan(const number_format& format) {
  if (&format == &formats::tf32()) return 0x7fc00000;
  const bool has_none = format.width() < 8;
  return has_none ? std::nullopt : std::optional(format.nan_code());
}

std::optional<std::uint32_t> operand_infinity(const number_format& format) {
  if (&format == &formats::tf32()) return 0x7f800000;
  const std::uint32_t code = format.magnitudes();
  if (code >= 1U << (format.width() - 1)) return std::nullopt;
  const bool infinite = format.decode(code).kind == golden::number_kind::infinite;
  return infinite ? std::optional(code) : std::nullopt;
}

std::uint32_t one(const number_format& format) {
  const std::uint32_t code = test::code_of(format, 1);
  return &format == &formats::tf32() ? code << 13 : code;
}

TEST_CASE("a_nan_anywhere_gives_the_nan_of_the_device") {
  for (const device_model& model : golden::device_models()) {
    INFO(model.name);
    dot_case word(model, size_of(model));
    CHECK(word.addend_bits(infinite_addend(model) + 1).result() == nan_of(model));
    CHECK(word.addend_bits(sign_of_addend(model) + nan_addend(model)).result() == nan_of(model));
    word.addend_bits(infinite_addend(model));
    if (const auto nan = operand_nan(*model.formats.a)) {
      CHECK(word.codes(3, *nan, 0).result() == nan_of(model));
    }
  }
}

TEST_CASE("an_infinite_addend_passes_through") {
  for (const device_model& model : golden::device_models()) {
    INFO(model.name);
    dot_case word(model, size_of(model));
    word.product(0, 1, 1).product(5, -1, 1);
    const std::uint32_t inf = infinite_addend(model);
    CHECK(word.addend_bits(inf).result() == infinity_of(model));
    CHECK(word.addend_bits(inf + sign_of_addend(model)).result() ==
          infinity_of(model) + sign_of(model));
  }
}

TEST_CASE("infinite_products_follow_the_rules_of_infinities") {
  for (const device_model& model : golden::device_models()) {
    const auto inf = operand_infinity(*model.formats.a);
    if (!inf) continue;
    INFO(model.name);
    const std::uint32_t unit = one(*model.formats.b);
    const auto with = [&](std::uint32_t b) {
      return dot_case(model, size_of(model)).codes(2, *inf, b);
    };
    CHECK(with(unit).result() == infinity_of(model));
    CHECK(with(unit).codes(4, *inf, unit).result() == infinity_of(model));
    CHECK(with(0).result() == nan_of(model));
    CHECK(with(unit).addend_bits(infinite_addend(model) + sign_of_addend(model)).result() ==
          nan_of(model));
    dot_case opposite = with(unit);
    const std::uint32_t minus =
        model.formats.a == &formats::tf32() ? 0x80000000U : 1U << (model.formats.a->width() - 1);
    CHECK(opposite.codes(3, *inf + minus, unit).result() == nan_of(model));
  }
}

TEST_CASE("a_nan_scale_poisons_elements_that_are_zero") {
  for (const device_model& model : golden::device_models()) {
    if (model.formats.scale == nullptr) continue;
    INFO(model.name);
    const std::uint32_t nan = model.formats.scale->nan_code();
    CHECK(dot_case(model, 64).scale(0, nan, 0).result() == 0x7fffffff);
    CHECK(dot_case(model, 64).scale(1, 0, nan).addend(1).result() == 0x7fffffff);
  }
  CHECK(dot_case("blackwell.mxf4nvf4", 64).scale(3, 0xff, 0).result() == 0x7fffffff);
}

TEST_CASE("sums_beyond_the_largest_number_are_infinite_under_truncation_too") {
  const auto doubled = [](const char* model, std::uint32_t addend) {
    return dot_case(model, 8)
        .product(0, power_of_two(126), 1)
        .product(1, power_of_two(126), 1)
        .addend_bits(addend)
        .result();
  };
  for (const char* model :
       {"ampere.mma.bf16.f32", "hopper.wgmma.tf32.f32", "blackwell.tcgen05.bf16.f32"}) {
    INFO(model);
    CHECK(doubled(model, 0x7f000000) == 0x7f800000);
    CHECK(doubled(model, 0x7effffff) == 0x7f7fffff);
  }
  CHECK(doubled("cdna1.mfma.bf16.f32", 0x7efffffe) == 0x7f7fffff);
  CHECK(doubled("cdna1.mfma.bf16.f32", 0x7effffff) == 0x7f800000);  // a tie
  dot_case half("ampere.mma.f16.f16", 8);
  half.product(0, 32768, 1).addend(32768);
  CHECK(half.result() == 0x7c00);
  CHECK(half.product(1, -16, 1).result() == 0x7c00);  // 65520 is nearest to no finite value
  CHECK(half.product(1, -17, 1).result() == 0x7bff);
  dot_case scaled("blackwell.mxf4", 64);
  scaled.product(0, -1, 2).scale(0, 127 + 127, 127);
  CHECK(scaled.result() == 0xff800000);
  CHECK(scaled.product(1, {1, 2}, {1, 2}).result() ==
        fp32_bits(rational(-7, 4) * power_of_two(127)));
}

TEST_CASE("results_below_the_normals_are_kept_and_truncated") {
  const auto result = [](const char* model, const rational& a, int b) {
    return dot_case(model, 4).product(0, a, power_of_two(b)).result();
  };
  for (const char* model : {"ampere.mma.bf16.f32", "hopper.mma.tf32.f32"}) {
    INFO(model);
    CHECK(result(model, power_of_two(-70), -79) == 1);
    CHECK(result(model, rational(31, 16) * power_of_two(-70), -79) == 1);
    CHECK(result(model, rational(31, 16) * power_of_two(-70), -78) == 3);
    CHECK(result(model, -power_of_two(-70), -80) == 0);
    CHECK(result(model, power_of_two(-130), 2) == 1U << 21);
  }
  CHECK(result("ampere.mma.f16.f16", power_of_two(-12), -12) == 1);
  CHECK(result("ampere.mma.f16.f16", power_of_two(-12), -13) == 0);
  CHECK(result("ampere.mma.f16.f16", rational(-3, 2) * power_of_two(-12), -13) == 0x8001);
  CHECK(result("ampere.mma.f16.f16", -power_of_two(-12), -13) == 0);
  dot_case rounded("cdna1.mfma.bf16.f32", 2);
  CHECK(rounded.product(0, -power_of_two(-70), power_of_two(-80)).result() == 0x80000000);
}

TEST_CASE("a_sum_is_a_negative_zero_where_every_product_and_the_addend_are_but_not_on_nvidia") {
  for (const device_model& model : golden::device_models()) {
    const number_format& a = *model.formats.a;
    if (!has_signed_zero(a)) continue;
    INFO(model.name);
    const std::uint32_t minus = &a == &formats::tf32() ? 0x80000000U : 1U << (a.width() - 1);
    const std::uint32_t sign = sign_of_addend(model);
    dot_case word(model, size_of(model));
    word.all_codes(minus, 0).addend_bits(sign);
    // CDNA2 reads a -0 as +0.
    const bool flushing = std::holds_alternative<golden::flushing_pairwise>(model.rule);
    const bool nvidia = model.name.rfind("cdna", 0) != 0;
    CHECK(word.result() == (nvidia || flushing ? 0 : sign));
    CHECK(word.addend_bits(0).result() == 0);
    CHECK(word.codes(1, 0, 0).addend_bits(sign).result() == 0);
    dot_case cancelled(model, size_of(model));
    cancelled.all_codes(minus, 0).product(0, 1, 1).product(1, -1, 1).addend_bits(sign);
    CHECK(cancelled.result() == 0);
  }
}

TEST_CASE("what_truncation_leaves_nothing_of_is_no_negative_zero") {
  dot_case word("volta.mma.f16.f32", 4);
  word.product(0, -8192, 1024).product(1, {-1, 2}, 1).addend(power_of_two(23));
  CHECK(word.result() == 0);
}

TEST_CASE("a_zero_scale_makes_no_term_negative") {
  dot_case word(test::generic("exact.rne", formats::e2m1(), &formats::ue4m3()), 64);
  word.all_codes(0x8, 0).addend_bits(0x80000000);
  CHECK(word.result() == 0x80000000);
  word.scale(0, 0, 0x38);
  CHECK(word.result() == 0x80000000);
  CHECK(word.codes(7, 0xa, 0x2).result() == 0);
}

}  // namespace
