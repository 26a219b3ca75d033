// SPDX-License-Identifier: Apache-2.0
// tests/golden/reference/matrix_core_test.cpp: hand-computed words for AMD's matrix cores.
#include "catch.h"
#include "dot_case.h"

namespace {

using golden::power_of_two;
using golden::rational;
using test::dot_case;
using test::fp32_bits;

TEST_CASE("cdna1_adds_exactly_and_rounds_each_step_once") {
  dot_case word("cdna1.mfma.f16.f32", 4);
  word.product(0, 32768, 32768).product(1, -32768, 32768);
  CHECK(word.product(3, power_of_two(-24), power_of_two(-24)).result() ==
        fp32_bits(power_of_two(-48)));
  dot_case tie("cdna1.mfma.f16.f32", 8);
  tie.product(1, 1, 1).addend(power_of_two(24));
  CHECK(tie.result() == fp32_bits(power_of_two(24)));
  CHECK(tie.product(4, power_of_two(-24), power_of_two(-24)).result() ==
        fp32_bits(power_of_two(24)));
  CHECK(tie.product(3, power_of_two(-24), power_of_two(-24)).result() ==
        fp32_bits(power_of_two(24) + 2));
}

TEST_CASE("cdna2_reads_subnormal_operands_as_plus_zero") {
  dot_case word("cdna2.mfma.f16.f32", 4);
  CHECK(word.product(0, power_of_two(-15), 1024).result() == 0);
  CHECK(word.product(0, power_of_two(-14), 1024).result() == fp32_bits({1, 16}));
  CHECK(word.product(0, 1024, -power_of_two(-24)).result() == 0);
  dot_case minus("cdna2.mfma.bf16.f32", 2);
  minus.all_codes(0x8000, 0x3f80);
  CHECK(minus.addend_bits(0x80000000).result() == 0);  // zeros and the addend too
  CHECK(minus.addend_bits(0x807fffff).result() == 0);
  CHECK(minus.addend_bits(0x80800000).result() == 0x80800000);
  minus.addend_bits(0x80000000);
  CHECK(minus.codes(0, 0x8001, 0x3f80).result() == 0);
}

TEST_CASE("cdna2_flushes_subnormal_products_and_sums_to_zeros_with_their_signs") {
  dot_case product("cdna2.mfma.bf16.f32", 2);
  product.product(0, power_of_two(-64), power_of_two(-63)).addend(power_of_two(-126));
  CHECK(product.result() == fp32_bits(power_of_two(-126)));
  // Products of -0 are flushed to it and added to a +0.
  product.product(0, -power_of_two(-64), power_of_two(-63)).codes(1, 0x3f80, 0x8000);
  CHECK(product.addend_bits(0x80000000).result() == 0);
  dot_case sum("cdna2.mfma.bf16.f32", 2);
  sum.product(0, rational(-3, 2) * power_of_two(-63), power_of_two(-63));
  sum.product(1, power_of_two(-63), power_of_two(-63));
  CHECK(sum.addend_bits(0x80000000).result() == 0);
  CHECK(sum.addend(power_of_two(-126)).result() == fp32_bits(power_of_two(-126)));
  sum.product(1, 0, 0).addend(power_of_two(-126));
  CHECK(sum.result() == 0x80000000);  // the last sum too
}

TEST_CASE("cdna2_rounds_products_and_pairs_to_fp32") {
  dot_case infinite("cdna2.mfma.bf16.f32", 2);
  infinite.product(0, power_of_two(64), power_of_two(64));
  CHECK(infinite.addend(-power_of_two(127)).result() == 0x7f800000);
  CHECK(infinite.product(1, -power_of_two(64), power_of_two(64)).result() == 0x7fc00000);
  const auto in_order = [](const char* model) {
    return dot_case(model, 4)
        .product(0, 4096, 4096)
        .product(1, 1, 1)
        .product(2, 1, 1)
        .product(3, -4096, 4096)
        .result();
  };
  // (2^24 + 1) + (1 - 2^24): both pairs round, the second exactly.
  CHECK(in_order("cdna2.mfma.bf16_1k.f32") == fp32_bits(1));
  CHECK(in_order("cdna2.mfma.bf16.f32") == fp32_bits(1));
}

TEST_CASE("cdna3_rounds_down_so_that_signs_are_not_symmetric") {
  const auto beside = [](int sign, const rational& more) {
    return dot_case("cdna3.mfma.f16.f32", 8)
        .product(0, rational(sign, 2), 1)
        .product(5, sign * more, power_of_two(-10))
        .addend(-sign * power_of_two(24))
        .result();
  };
  // A tie between 2^24 - 1 and 2^24 that a little more decides, if it arrives.
  CHECK(beside(1, power_of_two(-10)) == fp32_bits(-power_of_two(24)));
  CHECK(beside(-1, power_of_two(-10)) == fp32_bits(power_of_two(24) - 1));
  CHECK(beside(1, 2) == fp32_bits(-power_of_two(24)));
  CHECK(beside(1, 4) == fp32_bits(1 - power_of_two(24)));
}

TEST_CASE("cdna3_rounds_down_again_31_bits_below_the_sum") {
  const auto beside = [](int sign, const rational& more) {
    return dot_case("cdna3.mfma.f16.f32", 8)
        .product(0, sign, 1)
        .product(7, sign * more, power_of_two(-10))
        .addend(sign * power_of_two(24))
        .result();
  };
  CHECK(beside(1, 4) == fp32_bits(power_of_two(24)));
  CHECK(beside(1, 8) == fp32_bits(power_of_two(24) + 2));
  CHECK(beside(-1, 4) == fp32_bits(-power_of_two(24) - 2));
}

TEST_CASE("cdna3_rounds_the_addend_down_24_bits_below_the_products") {
  const auto beside = [](const char* model, const rational& addend) {
    return dot_case(model, 8).product(0, 4096, 4096).addend(addend).result();
  };
  CHECK(beside("cdna3.mfma.f16.f32", {-1, 1024}) == fp32_bits(power_of_two(24) - 1));
  CHECK(beside("cdna3.mfma.bf16.f32", {15, 8}) == fp32_bits(power_of_two(24)));
  CHECK(beside("cdna3.mfma.xf32.f32", -power_of_two(-140)) == fp32_bits(power_of_two(24) - 1));
  CHECK(beside("cdna3.mfma.e5m2fnuz.f32", {-1, 2}) == fp32_bits(power_of_two(24) - 1));
  CHECK(beside("cdna3.mfma.e5m2fnuz.f32", {-1, 4}) == fp32_bits(power_of_two(24)));
}

TEST_CASE("cdna3_truncates_products_toward_zero_without_the_addend") {
  const auto sum = [](int sign) {
    return dot_case("cdna3.mfma.f16.f32", 8)
        .product(0, sign * 4096, 4096)
        .product(1, -sign * 4096, 4096)
        .product(2, sign * rational(7, 8), 1)
        .product(3, sign, 1)
        .addend(power_of_two(-30))
        .result();
  };
  CHECK(sum(1) == fp32_bits(1));
  CHECK(sum(-1) == fp32_bits(-1));
  // The addend has no part in the largest exponent: 2^-20 arrives and decides a tie.
  dot_case beside("cdna3.mfma.f16.f32", 8);
  beside.product(0, 1, 1).product(1, power_of_two(-10), power_of_two(-10));
  beside.product(3, {1, 128}, {1, 128});
  CHECK(beside.addend(-power_of_two(11)).result() ==
        fp32_bits(1 + power_of_two(-13) - power_of_two(11)));
}

TEST_CASE("cdna3_takes_products_from_2_to_the_128_for_infinite") {
  dot_case word("cdna3.mfma.bf16.f32", 8);
  word.product(0, power_of_two(64), power_of_two(64))
      .product(1, -power_of_two(64), power_of_two(63));
  CHECK(word.result() == 0x7f800000);
  CHECK(word.product(1, -power_of_two(64), power_of_two(64)).result() == 0x7fc00000);
  CHECK(word.product(0, power_of_two(64), power_of_two(63)).result() == 0xff800000);
  word.product(1, -power_of_two(64), power_of_two(62));
  CHECK(word.result() == fp32_bits(power_of_two(126)));
}

TEST_CASE("cdna3_zeros_do_not_raise_the_exponent_of_products") {
  const auto half_and = [](int tiny) {
    return dot_case("cdna3.mfma.bf16.f32", 8)
        .product(0, power_of_two(-75), power_of_two(-75))
        .product(1, power_of_two(-75), power_of_two(tiny + 75))
        .result();
  };
  CHECK(half_and(-157) == 1);  // a zero addend counts as 2^-126, and 31 bits below that are kept
  CHECK(half_and(-158) == 0);
  dot_case negative("cdna3.mfma.bf16.f32", 8);
  CHECK(negative.product(0, -power_of_two(-100), power_of_two(-100)).result() == 0x80000000);
}

TEST_CASE("cdna3_fp8_adds_even_and_odd_products_apart") {
  const auto small_at = [](std::size_t k, const rational& small) {
    return dot_case("cdna3.mfma.e5m2fnuz.f32", 16)
        .product(0, 4096, 4096)
        .product(2, -4096, 4096)
        .product(k, small, power_of_two(-4))
        .result();
  };
  CHECK(small_at(14, 8) == 0);   // truncated beside 2^24
  CHECK(small_at(14, -8) == 0);  // toward zero
  CHECK(small_at(15, 8) == 0);   // rounded down beside 2^24
  CHECK(small_at(15, -8) == fp32_bits(-1));
  CHECK(small_at(15, 16) == fp32_bits(1));
}

}  // namespace
