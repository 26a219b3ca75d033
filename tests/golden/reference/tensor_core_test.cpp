// SPDX-License-Identifier: Apache-2.0
// tests/golden/reference/tensor_core_test.cpp: hand-computed words that distinguish tensor cores.
// Source: MMA-Sim, arXiv 2511.10909v2, equation 10 and table 8 (2^23 - 2^23 - 0.5 - 0.25 - 0.125).
#include "catch.h"
#include "dot_case.h"
#include "golden/reference/formats.h"

namespace {

namespace formats = golden::formats;
using golden::power_of_two;
using golden::rational;
using test::dot_case;
using test::fp16_bits;
using test::fp32_bits;

std::uint32_t demonstration(dot_case word) {
  return word.product(0, -8192, 1024)
      .product(1, {-1, 2}, 1)
      .product(2, {-1, 4}, 1)
      .product(3, {-1, 8}, 1)
      .addend(power_of_two(23))
      .result();
}

TEST_CASE("the_demonstration_of_the_paper_gives_each_device_its_result") {
  struct row {
    rational expected;
    std::vector<const char*> models;
  };
  const row table[] = {
      {0, {"volta.mma.f16.f32", "ada.mma.e5m2.f32", "hopper.wgmma.e5m2.f32"}},
      {{-1, 2},
       {"turing.mma.f16.f32", "ampere.mma.f16.f32", "ampere.mma.bf16.f32", "ampere.mma.tf32.f32",
        "ada.mma.f16.f32", "ada.mma.bf16.f32", "ada.mma.tf32.f32", "cdna3.mfma.f16.f32",
        "cdna3.mfma.bf16.f32", "cdna3.mfma.xf32.f32"}},
      {{-3, 4},
       {"hopper.mma.f16.f32", "hopper.mma.tf32.f32", "hopper.wgmma.bf16.f32",
        "hopper.wgmma.tf32.f32", "blackwell.mma.bf16.f32", "blackwell.tcgen05.f16.f32",
        "blackwell.tcgen05.e5m2.f32", "rtxblackwell.mma.tf32.f32", "rtxblackwell.mma.e5m2.f32",
        "blackwell.mxf8f6f4.e5m2.e5m2"}},
      {{-7, 8}, {"cdna1.mfma.f16.f32", "cdna1.mfma.bf16.f32"}},
      {{-3, 8}, {"cdna2.mfma.bf16.f32"}},
      {0, {"cdna2.mfma.f16.f32", "cdna2.mfma.bf16_1k.f32"}},
      {-1, {"cdna3.mfma.e5m2fnuz.f32"}},
      // Started from +0, the halves lose everything beside -2^23 in their own results.
      {0, {"hopper.mma.e5m2.f32", "blackwell.mma.e5m2.f32"}},
  };
  for (const row& expected : table) {
    for (const char* model : expected.models) {
      INFO(model);
      const std::size_t size = std::string(model).find("mxf8f6f4") == std::string::npos ? 4 : 32;
      CHECK(demonstration(dot_case(model, size)) == fp32_bits(expected.expected));
    }
  }
}

TEST_CASE("the_demonstration_in_fp4_keeps_every_bit") {
  dot_case word("blackwell.mxf4", 64);
  word.product(0, -4, 4).scale(0, 127 + 11, 127 + 8);
  word.product(32, -1, 1).product(33, -1, {1, 2}).product(34, {-1, 2}, {1, 2});
  word.scale(1, 127, 126).addend(power_of_two(23));
  CHECK(word.result() == fp32_bits({-7, 8}));
}

// Fraction bits that a sum keeps, by products of 1/4 beside a large addend: all of a unit in
// the last place of the result arrives, then nothing of it does.
TEST_CASE("fp32_sums_keep_the_fraction_bits_of_their_table") {
  struct row {
    int fraction_bits, result_bits;
    std::vector<const char*> models;
  };
  const row table[] = {
      {23, 23, {"volta.mma.f16.f32"}},
      {24,
       23,
       {"turing.mma.f16.f32", "ampere.mma.f16.f32", "ampere.mma.bf16.f32", "ampere.mma.tf32.f32",
        "ada.mma.f16.f32", "ada.mma.bf16.f32", "ada.mma.tf32.f32"}},
      {25,
       23,
       {"hopper.mma.f16.f32",         "hopper.mma.bf16.f32",        "hopper.mma.tf32.f32",
        "hopper.wgmma.f16.f32",       "hopper.wgmma.bf16.f32",      "hopper.wgmma.tf32.f32",
        "blackwell.mma.f16.f32",      "blackwell.mma.bf16.f32",     "blackwell.mma.tf32.f32",
        "blackwell.tcgen05.f16.f32",  "blackwell.tcgen05.bf16.f32", "blackwell.tcgen05.tf32.f32",
        "blackwell.tcgen05.e2m1.f32", "blackwell.tcgen05.e2m3.f32", "blackwell.tcgen05.e3m2.f32",
        "blackwell.tcgen05.e4m3.f32", "blackwell.tcgen05.e5m2.f32", "rtxblackwell.mma.f16.f32",
        "rtxblackwell.mma.bf16.f32",  "rtxblackwell.mma.tf32.f32",  "rtxblackwell.mma.e2m1.f32",
        "rtxblackwell.mma.e2m3.f32",  "rtxblackwell.mma.e3m2.f32",  "rtxblackwell.mma.e4m3.f32",
        "rtxblackwell.mma.e5m2.f32"}},
      {13,
       13,
       {"ada.mma.e4m3.f32", "ada.mma.e5m2.f32", "hopper.wgmma.e4m3.f32", "hopper.wgmma.e5m2.f32"}},
  };
  const auto with_quarters = [](const char* model, int exponent, std::size_t count) {
    dot_case word(model, count);
    for (std::size_t k = 0; k < count; ++k) word.product(k, {1, 2}, {1, 2});
    return word.addend(power_of_two(exponent)).result();
  };
  for (const row& each : table) {
    const int kept = each.fraction_bits - 2;  // exponent whose last kept bit is worth 1/4
    const std::size_t count = std::size_t{1} << (each.fraction_bits - each.result_bits);
    const rational last_place = power_of_two(kept - each.result_bits);
    for (const char* model : each.models) {
      INFO(model);
      CHECK(with_quarters(model, kept, count) == fp32_bits(power_of_two(kept) + last_place));
      CHECK(with_quarters(model, kept + 1, 2 * count) == fp32_bits(power_of_two(kept + 1)));
    }
  }
}

// 2^-9 is a subnormal of E4M3 and a normal number of FP16: beside 2^-9 * 2^15 the window ends at
// 2^-19, not at 2^-16.
TEST_CASE("fp8_that_becomes_fp16_is_aligned_by_the_exponents_of_fp16") {
  golden::device_model model = *golden::find_device_model("hopper.mma.e4m3.f32");
  model.formats.b = golden::find_device_model("hopper.mma.e5m2.f32")->formats.b;
  const rational small = power_of_two(-9), kept = power_of_two(-17);
  const auto sum = [&](const golden::device_model& of) {
    return dot_case(of, 4).product(0, small, 32768).product(1, small, power_of_two(-8)).result();
  };
  CHECK(sum(model) == fp32_bits(power_of_two(6) + kept));
  golden::device_model native = *golden::find_device_model("blackwell.tcgen05.e4m3.f32");
  native.formats.b = model.formats.b;
  CHECK(sum(native) == fp32_bits(power_of_two(6)));
}

TEST_CASE("fp16_sums_keep_the_fraction_bits_of_their_table") {
  struct row {
    int fraction_bits;
    std::vector<const char*> models;
  };
  const row table[] = {
      {13,
       {"ada.mma.e4m3.f16", "ada.mma.e5m2.f16", "hopper.wgmma.e4m3.f16", "hopper.wgmma.e5m2.f16"}},
      {23, {"volta.mma.f16.f16"}},
      {24, {"turing.mma.f16.f16", "ampere.mma.f16.f16", "ada.mma.f16.f16"}},
      {25,
       {"hopper.mma.f16.f16", "hopper.wgmma.f16.f16", "blackwell.mma.f16.f16",
        "blackwell.tcgen05.f16.f16", "blackwell.tcgen05.e4m3.f16", "blackwell.tcgen05.e5m2.f16",
        "rtxblackwell.mma.f16.f16", "rtxblackwell.mma.e4m3.f16", "rtxblackwell.mma.e5m2.f16"}},
  };
  const auto beside_cancelled = [](const char* model, const rational& small) {
    return dot_case(model, 4)
        .product(0, -128, 256)
        .product(1, small, power_of_two(-6))
        .addend(32768)
        .result();
  };
  for (const row& each : table) {
    const rational last = power_of_two(15 - each.fraction_bits);
    for (const char* model : each.models) {
      INFO(model);
      CHECK(beside_cancelled(model, last * 64) == fp16_bits(last));
      CHECK(beside_cancelled(model, last * 32) == 0);
    }
  }
}

TEST_CASE("each_term_is_truncated_by_itself_toward_zero") {
  const auto sum = [](int sign) {
    dot_case word("volta.mma.f16.f32", 4);
    word.addend(sign * power_of_two(24));
    for (std::size_t k = 1; k < 4; ++k) word.product(k, sign * rational(31, 16), 1);
    return word.product(0, -sign * power_of_two(12), power_of_two(12)).result();
  };
  CHECK(sum(1) == 0);  // three times 31/16 in units of 2
  CHECK(sum(-1) == 0);
  dot_case of_both_signs("volta.mma.f16.f32", 4);
  of_both_signs.product(0, 4096, 2048).product(1, {-1, 2}, 1).product(2, {3, 2}, 1);
  CHECK(of_both_signs.result() == fp32_bits(power_of_two(23) + 1));
}

TEST_CASE("products_are_aligned_by_the_sum_of_their_exponents_not_normalized") {
  // 1.5 * 1.5 has the exponent 0 although it is above 2: the unit of Volta is 2^-23.
  dot_case word("volta.mma.f16.f32", 4);
  word.product(0, {3, 2}, {3, 2}).product(1, {-3, 2}, {3, 2});
  word.product(2, power_of_two(-11), power_of_two(-12));
  CHECK(word.result() == fp32_bits(power_of_two(-23)));
  // A subnormal has the exponent -14: 2^-24 * 1 cuts off at 2^-37.
  dot_case subnormal("volta.mma.f16.f32", 4);
  subnormal.product(0, power_of_two(-24), 1).product(1, -power_of_two(-24), 1);
  CHECK(subnormal.product(2, power_of_two(-14), power_of_two(-23)).result() ==
        fp32_bits(power_of_two(-37)));
  CHECK(subnormal.product(2, power_of_two(-14), power_of_two(-24)).result() == 0);
}

// 49/16 + 2^-13 is added exactly, but has 14 fraction bits.
TEST_CASE("coarse_fp8_sums_have_13_fraction_bits_in_fp32_results_too") {
  for (const char* model :
       {"ada.mma.e4m3.f32", "ada.mma.e5m2.f32", "hopper.wgmma.e4m3.f32", "hopper.wgmma.e5m2.f32"}) {
    INFO(model);
    dot_case word(model, 16);
    word.product(0, {7, 4}, {7, 4}).product(1, {1, 64}, {1, 64});
    CHECK(word.result() == fp32_bits(rational(49, 16) + power_of_two(-12)));
    CHECK(word.addend(-power_of_two(-13)).result() == fp32_bits({49, 16}));
  }
}

}  // namespace
