// SPDX-License-Identifier: Apache-2.0
// tests/golden/reference/dot_step_test.cpp: the number of products per step of each device, and the
// order of steps, groups and halves.
#include "catch.h"
#include "dot_case.h"
#include "golden/reference/formats.h"

namespace {

namespace formats = golden::formats;
using golden::device_model;
using golden::power_of_two;
using golden::rational;
using test::dot_case;
using test::fp16_bits;
using test::fp32_bits;

// Two products and an addend whose sum goes up only where both are added before it is rounded.
dot_case pair_at(const device_model& model, std::size_t first, std::size_t second) {
  const std::size_t size = model.formats.scale == nullptr ? second + 1 : 128;
  dot_case word(model, size);
  const bool fp16 = model.formats.c == &formats::fp16();
  const bool nearest = fp16 || model.name.starts_with("cdna");
  word.product(first, {1, 2}, 1).product(second, nearest ? rational(3, 4) : rational(1, 2), 1);
  return word.addend(power_of_two(fp16 ? 11 : nearest ? 24 : 23));
}

TEST_CASE("a_step_takes_as_many_products_as_its_table_says") {
  struct row {
    std::size_t length;
    std::vector<const char*> models;
  };
  const row table[] = {
      {2, {"cdna1.mfma.bf16.f32", "cdna2.mfma.bf16.f32"}},
      {4,
       {"volta.mma.f16.f16", "ampere.mma.tf32.f32", "ada.mma.tf32.f32", "cdna1.mfma.f16.f32",
        "cdna2.mfma.f16.f32", "cdna2.mfma.bf16_1k.f32", "cdna3.mfma.xf32.f32"}},
      {8,
       {"turing.mma.f16.f32", "turing.mma.f16.f16", "ampere.mma.f16.f32", "ampere.mma.f16.f16",
        "ampere.mma.bf16.f32", "ada.mma.f16.f32", "ada.mma.f16.f16", "ada.mma.bf16.f32",
        "hopper.mma.tf32.f32", "hopper.wgmma.tf32.f32", "blackwell.mma.tf32.f32",
        "blackwell.tcgen05.tf32.f32", "rtxblackwell.mma.tf32.f32", "cdna3.mfma.f16.f32",
        "cdna3.mfma.bf16.f32"}},
      {16,
       {"ada.mma.e4m3.f16", "ada.mma.e5m2.f16", "hopper.mma.f16.f32", "hopper.mma.f16.f16",
        "hopper.mma.bf16.f32", "hopper.wgmma.f16.f32", "hopper.wgmma.f16.f16",
        "hopper.wgmma.bf16.f32", "blackwell.mma.f16.f32", "blackwell.mma.f16.f16",
        "blackwell.mma.bf16.f32", "blackwell.tcgen05.f16.f32", "blackwell.tcgen05.f16.f16",
        "blackwell.tcgen05.bf16.f32", "rtxblackwell.mma.f16.f32", "rtxblackwell.mma.f16.f16",
        "rtxblackwell.mma.bf16.f32", "cdna3.mfma.e4m3fnuz.f32", "cdna3.mfma.e5m2fnuz.f32"}},
      {32,
       {"hopper.wgmma.e4m3.f16", "hopper.wgmma.e5m2.f16", "blackwell.tcgen05.e2m1.f32",
        "blackwell.tcgen05.e2m3.f32", "blackwell.tcgen05.e3m2.f32", "blackwell.tcgen05.e4m3.f32",
        "blackwell.tcgen05.e5m2.f32", "blackwell.tcgen05.e4m3.f16", "blackwell.tcgen05.e5m2.f16",
        "rtxblackwell.mma.e2m1.f32", "rtxblackwell.mma.e2m3.f32", "rtxblackwell.mma.e3m2.f32",
        "rtxblackwell.mma.e4m3.f32", "rtxblackwell.mma.e5m2.f32", "rtxblackwell.mma.e4m3.f16",
        "rtxblackwell.mma.e5m2.f16", "blackwell.mxf8f6f4.e4m3.e5m2",
        "blackwell.mxf8f6f4.e2m1.e2m1"}},
      {64, {"blackwell.mxf4", "blackwell.mxf4nvf4"}},
  };
  for (const row& each : table) {
    for (const char* name : each.models) {
      INFO(name);
      const device_model* model = golden::find_device_model(name);
      REQUIRE(model != nullptr);
      const std::uint32_t stays = pair_at(*model, each.length - 1, each.length).result();
      CHECK(pair_at(*model, 0, each.length - 1).result() == stays + 1);
    }
  }
}

// Beside 2^a 2^b and its opposite nothing small is left, unless it is in the next step.
TEST_CASE("steps_of_coarse_sums_take_as_many_products_as_their_table_says") {
  struct row {
    std::size_t length;
    std::vector<const char*> models;
  };
  const row table[] = {
      {4, {"volta.mma.f16.f32"}},
      {16, {"ada.mma.e4m3.f32", "ada.mma.e5m2.f32"}},
      {32, {"hopper.wgmma.e4m3.f32", "hopper.wgmma.e5m2.f32"}},
  };
  const auto result = [](const char* model, std::size_t last, std::size_t small) {
    return dot_case(model, 64)
        .product(0, 256, 256)
        .product(last, -256, 256)
        .product(small, power_of_two(-6), power_of_two(-6))
        .result();
  };
  for (const row& each : table) {
    for (const char* model : each.models) {
      INFO(model);
      CHECK(result(model, 1, each.length - 1) == 0);
      CHECK(result(model, each.length - 1, each.length) == fp32_bits(power_of_two(-12)));
    }
  }
}

TEST_CASE("fp16_results_are_rounded_after_each_step") {
  dot_case word("volta.mma.f16.f16", 8);
  word.addend(2048).product(0, 1, 1).product(4, 1, 1);
  CHECK(word.result() == fp16_bits(2048));                   // two ties to even
  CHECK(word.product(1, 1, 1).result() == fp16_bits(2052));  // 2050, then a tie to even
}

TEST_CASE("emulated_fp8_adds_two_halves_from_zero_and_the_addend_last") {
  const auto result = [](std::size_t small, const rational& addend) {
    return dot_case("blackwell.mma.e4m3.f32", 32)
        .product(0, 256, 256)
        .product(4, -256, 256)
        .product(small, power_of_two(-6), power_of_two(-6))
        .addend(addend)
        .result();
  };
  CHECK(result(1, 0) == 0);  // with the cancelling terms: cut off at 2^-9
  CHECK(result(5, 0) == 0);
  CHECK(result(29, 0) == 0);
  CHECK(result(2, 0) == fp32_bits(power_of_two(-12)));
  CHECK(result(31, 0) == fp32_bits(power_of_two(-12)));
  CHECK(result(2, power_of_two(12)) == fp32_bits(power_of_two(12)));  // a tie to even
  CHECK(result(2, 3 * power_of_two(11) + power_of_two(-11)) ==
        fp32_bits(3 * power_of_two(11) + power_of_two(-10)));  // a tie up to even
  CHECK(result(2, power_of_two(11) + power_of_two(-12)) ==
        fp32_bits(power_of_two(11) + power_of_two(-11)));
}

TEST_CASE("emulated_fp8_rounds_each_half_to_the_format_of_the_result") {
  dot_case word("hopper.mma.e4m3.f16", 32);
  word.product(0, 128, 16).product(4, 1, 1);
  CHECK(word.addend(-2048).result() == 0);  // 2049 is 2048
  word.product(2, 1, 1).product(3, {1, 2}, 1);
  CHECK(word.result() == fp16_bits(2));  // 2048 + 1.5
  dot_case in_fp32("hopper.mma.e4m3.f32", 32);
  in_fp32.product(0, 128, 16).product(4, 1, 1).addend(-2048);
  CHECK(in_fp32.result() == fp32_bits(1));
}

TEST_CASE("a_long_word_is_emulated_in_pieces_of_32") {
  dot_case word("blackwell.mma.e4m3.f32", 64);
  word.product(0, 1, 1).product(33, {1, 2}, 1).addend(power_of_two(24));
  CHECK(word.result() == fp32_bits(power_of_two(24)));  // a tie, then less
  CHECK(word.product(31, {1, 2}, 1).result() == fp32_bits(power_of_two(24) + 2));
}

TEST_CASE("a_group_is_aligned_by_its_scale_alone") {
  dot_case word("blackwell.mxf4", 64);
  for (std::size_t k = 0; k < 16; ++k) word.product(k, 6, 6).product(16 + k, -6, 6);
  word.addend(power_of_two(-35));
  CHECK(word.result() == fp32_bits(power_of_two(-35)));  // 576 would cut it off
  CHECK(word.addend(power_of_two(-36)).result() == 0);
}

TEST_CASE("a_group_that_cancels_keeps_the_exponent_of_its_scale") {
  dot_case word("blackwell.mxf4", 64);
  word.product(0, 1, 1).product(1, -1, 1).scale(0, 127 + 30, 127 + 6).addend(1);
  CHECK(word.result() == 0);
  CHECK(word.product(0, 0, 1).product(1, 0, 1).result() == fp32_bits(1));
}

TEST_CASE("scales_of_ue4m3_multiply_exactly_and_subnormals_are_not_normalized") {
  dot_case word("blackwell.mxf4nvf4", 64);
  word.product(16, {3, 2}, 3).scale(1, 0x3f, 0x3f);  // 15/8 each
  CHECK(word.result() == fp32_bits(rational(9, 2) * rational(225, 64)));
  // 2^-9 2^-9 is read with the exponent -12: it is cut off at 2^-47.
  dot_case tiny("blackwell.mxf4nvf4", 64);
  tiny.product(0, 1, 1).product(16, -1, 1).scale(0, 1, 1).scale(1, 1, 1);
  CHECK(tiny.addend(power_of_two(-47)).result() == fp32_bits(power_of_two(-47)));
  CHECK(tiny.addend(power_of_two(-48)).result() == 0);
  CHECK(tiny.scale(0, 0x80, 0x38).scale(1, 0x38, 0x80).result() == fp32_bits(power_of_two(-48)));
}

TEST_CASE("scales_move_the_exponents_of_products") {
  dot_case word("blackwell.mxf8f6f4.e2m1.e3m2", 64);
  word.product(0, 4, 16).scale(0, 127 + 20, 127 - 3).product(32, -4, 16);
  word.scale(1, 127 - 60, 127 + 77).product(33, {1, 2}, {1, 16});
  CHECK(word.result() == fp32_bits(power_of_two(12)));  // 2^23 - 2^23 + 2^-5 2^17
  dot_case cut("blackwell.mxf8f6f4.e5m2.e2m3", 32);
  cut.product(0, 1, 1).product(1, -1, 1).product(2, power_of_two(-16), {1, 8});
  CHECK(cut.scale(0, 0, 254).result() == fp32_bits(power_of_two(-19)));
  CHECK(cut.scale(0, 1, 254).addend(power_of_two(-25)).result() == fp32_bits(power_of_two(-18)));
}

TEST_CASE("a_step_that_lacks_products_is_filled_up_with_positive_zeros") {
  for (const golden::device_model& model : golden::device_models()) {
    if (model.formats.a != &golden::formats::fp16() &&
        model.formats.a != &golden::formats::e2m1()) {
      continue;
    }
    INFO(model.name);
    const std::vector<std::uint32_t> minus(1, model.formats.a->with_sign(true, 0)), zero(1, 0);
    const std::vector<std::uint32_t> one(model.formats.scale == nullptr ? 0 : 1, 0x38);
    const std::uint32_t c = model.formats.c->with_sign(true, 0);
    CHECK(golden::dot(model, {minus, zero, c, one, one}) == 0);
  }
}

TEST_CASE("words_that_do_not_fit_their_model_are_refused") {
  const device_model& scaled = *golden::find_device_model("blackwell.mxf4");
  const std::vector<std::uint32_t> elements(64, 0), two(2, 127), four(4, 127);
  CHECK(golden::dot(scaled, {elements, elements, 0, two, two}) == 0);
  CHECK_THROWS_AS(golden::dot(scaled, {elements, elements, 0, four, four}), std::invalid_argument);
  CHECK_THROWS_AS(golden::dot(scaled, {elements, elements, 0, two, four}), std::invalid_argument);
  CHECK_THROWS_AS(golden::dot(scaled, {elements, elements, 0}), std::invalid_argument);
  const device_model& plain = *golden::find_device_model("ampere.mma.f16.f32");
  CHECK_THROWS_AS(golden::dot(plain, {elements, elements, 0, two, two}), std::invalid_argument);
  CHECK_THROWS_AS(golden::dot(plain, {elements, two, 0}), std::invalid_argument);
  CHECK_THROWS_AS(golden::dot(plain, {{}, two, 0}), std::invalid_argument);
  CHECK(golden::dot(plain, {{}, {}, 0x80000001}) == 0x80000001);
  CHECK(golden::find_device_model("ampere.mma.e4m3.f32") == nullptr);
  CHECK(golden::find_device_model("turing.mma.bf16.f32") == nullptr);
}

}  // namespace
