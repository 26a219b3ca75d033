// SPDX-License-Identifier: Apache-2.0
// tests/golden/reference/generic_dot_test.cpp: sums that round once, after each product, after each
// block, or in a tree.
#include <cmath>
#include <random>

#include "catch.h"
#include "dot_case.h"
#include "golden/reference/binary32.h"
#include "golden/reference/formats.h"

namespace {

namespace formats = golden::formats;
using golden::bits_of;
using golden::device_model;
using golden::float_of;
using golden::power_of_two;
using golden::rational;
using test::dot_case;
using test::fp32_bits;
using test::generic;

struct float_word {
  std::vector<std::uint32_t> a, b;
  std::uint32_t c = 0;
};

// Small exponents, so that sums cancel; now and then any pattern.
std::uint32_t random_pattern(std::mt19937& random) {
  if (random() % 16 == 0) return random();
  return random() / 2 % 0x4000000 + 0x3e000000 + (random() % 2) * 0x80000000;
}

float_word random_word(std::mt19937& random, std::size_t size) {
  float_word word;
  for (std::size_t k = 0; k < size; ++k) {
    word.a.push_back(random_pattern(random));
    word.b.push_back(random_pattern(random));
  }
  word.c = random_pattern(random);
  return word;
}

std::uint32_t without_payload(float x) { return x != x ? golden::canonical_nan : bits_of(x); }

std::uint32_t result(const char* model, const float_word& word) {
  return golden::dot(generic(model, formats::fp32()), {word.a, word.b, word.c});
}

TEST_CASE("fma_is_that_of_the_library") {
  std::mt19937 random(6);
  for (int i = 0; i < 3000; ++i) {
    const float_word word = random_word(random, 1 + random() % 6);
    float sum = float_of(word.c);
    for (std::size_t k = 0; k < word.a.size(); ++k) {
      sum = std::fma(float_of(word.a[k]), float_of(word.b[k]), sum);
    }
    REQUIRE(result("fp32.fma", word) == without_payload(sum));
    REQUIRE(result("fp32.sequential", word) == without_payload(sum));
  }
}

TEST_CASE("a_tree_is_that_of_the_processor") {
  std::mt19937 random(7);
  for (int i = 0; i < 3000; ++i) {
    const float_word word = random_word(random, 5);
    float p[5];
    for (std::size_t k = 0; k < 5; ++k) p[k] = float_of(word.a[k]) * float_of(word.b[k]);
    const float left = p[0] + p[1];
    const float right = p[2] + p[3];
    const float pairs = left + right;
    const float sum = pairs + p[4];
    REQUIRE(result("fp32.pairwise", word) == without_payload(sum + float_of(word.c)));
  }
}

TEST_CASE("an_exact_sum_is_rounded_once") {
  std::mt19937 random(8);
  for (int i = 0; i < 1000; ++i) {
    float_word word = random_word(random, 9);
    rational sum = 0;
    bool finite = golden::is_finite(float_of(word.c));
    for (std::size_t k = 0; k < 9 && finite; ++k) {
      finite = golden::is_finite(float_of(word.a[k])) && golden::is_finite(float_of(word.b[k]));
      if (finite) {
        sum += golden::value_of(float_of(word.a[k])).value() *
               golden::value_of(float_of(word.b[k])).value();
      }
    }
    if (!finite) continue;
    sum += golden::value_of(float_of(word.c)).value();
    REQUIRE(result("exact.rne", word) ==
            golden::round_to_binary32(sum, golden::zero_sign::positive));
    const std::uint32_t toward_zero = result("exact.rz", word);
    if (toward_zero % 0x80000000 == 0x7f800000) continue;
    const rational cut = golden::value_of(float_of(toward_zero)).value();
    REQUIRE(abs(cut) <= abs(sum));
    const float beyond = float_of(toward_zero + 1);
    if (golden::is_finite(beyond)) REQUIRE(golden::value_of(beyond).magnitude > abs(sum));
  }
}

device_model in_blocks(const char* name, std::size_t block) {
  device_model model = generic(name, formats::e2m1(), &formats::e8m(0));
  model.block_size = block;
  return model;
}

dot_case three_blocks(const char* name) {
  dot_case word(in_blocks(name, 2), 6);
  word.product(0, 1, 1).product(1, 1, 1).scale(0, 127 + 12, 127 + 12);  // 2^25
  word.product(2, 1, 1).product(3, {1, 2}, 1);                          // 1.5
  return word.product(4, 3, 1).product(5, -1, 1);                       // 2
}

TEST_CASE("rules_differ_in_where_they_round") {
  // The unit in the last place of 2^25 is 4, of its neighbour below 2.
  CHECK(three_blocks("exact.rne").result() == fp32_bits(power_of_two(25) + 4));
  CHECK(three_blocks("exact.rz").result() == fp32_bits(power_of_two(25)));
  CHECK(three_blocks("fp32.sequential").result() == fp32_bits(power_of_two(25)));
  CHECK(three_blocks("fp32.pairwise").result() == fp32_bits(power_of_two(25)));
  CHECK(three_blocks("fp32.fma").result() == fp32_bits(power_of_two(25) + 4));  // by the 3 alone
  // Minus 2^25 as the addend: first, or last.
  CHECK(three_blocks("exact.rne").addend(-power_of_two(25)).result() == fp32_bits({7, 2}));
  CHECK(three_blocks("exact.rz").addend(-power_of_two(25)).result() == fp32_bits({7, 2}));
  CHECK(three_blocks("fp32.sequential").addend(-power_of_two(25)).result() == fp32_bits({7, 2}));
  CHECK(three_blocks("fp32.fma").addend(-power_of_two(25)).result() == fp32_bits({7, 2}));
  CHECK(three_blocks("fp32.pairwise").addend(-power_of_two(25)).result() == 0);
}

TEST_CASE("one_rounding_of_a_block_is_not_one_of_each_product") {
  dot_case block(in_blocks("fp32.sequential", 4), 4);
  const auto fill = [](dot_case word) {
    for (std::size_t k = 0; k < 4; ++k) word.product(k, {1, 2}, 1);
    return word.addend(power_of_two(24)).result();
  };
  CHECK(fill(block) == fp32_bits(power_of_two(24) + 2));
  CHECK(fill(dot_case(in_blocks("fp32.fma", 4), 4)) == fp32_bits(power_of_two(24)));
  CHECK(fill(dot_case(in_blocks("fp32.sequential", 1), 4)) == fp32_bits(power_of_two(24)));
  CHECK(fill(dot_case(in_blocks("fp32.sequential", 2), 4)) == fp32_bits(power_of_two(24)));
}

TEST_CASE("an_odd_block_passes_up_to_the_next_pair") {
  dot_case word(in_blocks("fp32.pairwise", 1), 3);
  word.product(0, 1, 1).scale(0, 127 + 12, 127 + 12);
  word.product(1, 1, 1).product(2, 1, 1);
  CHECK(word.result() == fp32_bits(power_of_two(24)));  // (2^24 + 1) + 1
  dot_case first(in_blocks("fp32.pairwise", 1), 3);
  first.product(2, 1, 1).scale(2, 127 + 12, 127 + 12).product(0, 1, 1).product(1, 1, 1);
  CHECK(first.result() == fp32_bits(power_of_two(24) + 2));  // (1 + 1) + 2^24
}

TEST_CASE("scales_multiply_exactly_far_beyond_fp32") {
  for (const char* name : {"exact.rne", "exact.rz", "fp32.fma", "fp32.sequential"}) {
    INFO(name);
    dot_case word(in_blocks(name, 2), 2);
    word.scale(0, 254, 254).product(0, 1, 1).product(1, -1, 1);
    const bool each_product = name == std::string("fp32.fma");
    CHECK(word.addend(1).result() == (each_product ? 0x7f800000 : fp32_bits(1)));
    word.scale(0, 0, 0).product(1, 0, 1);
    CHECK(word.addend(1).result() == fp32_bits(1));
  }
}

TEST_CASE("specials_and_zeros_of_generic_rules") {
  for (const std::string& name : golden::generic_model_names()) {
    INFO(name);
    dot_case word(generic(name, formats::e5m2(), &formats::ue4m3()), 16);
    CHECK(word.addend_bits(0xffc00001).result() == 0x7fc00000);
    word.addend_bits(0).codes(1, 0x7c, 0x3c);
    CHECK(word.result() == 0x7f800000);
    CHECK(word.codes(2, 0xfc, 0x3c).result() == 0x7fc00000);
    CHECK(word.codes(2, 0, 0).addend_bits(0xff800000).result() == 0x7fc00000);
    word.all_codes(0x80, 0).addend_bits(0x80000000);
    CHECK(word.result() == 0x80000000);
    CHECK(word.addend_bits(0).result() == 0);
    word.addend_bits(0x80000000).codes(3, 0xbc, 0x3c).scale(0, 0, 0x38);
    CHECK(word.result() == 0);  // a zero scale makes no negative zero
    CHECK(word.scale(0, 0x7f, 0).result() == 0x7fc00000);
  }
  CHECK(!golden::generic_model("exact", formats::e2m1(), formats::e2m1(), nullptr));
}

TEST_CASE("mxdotp_rounds_after_8_or_16_products") {
  const auto pair = [](const char* name, std::size_t first, std::size_t second) {
    return dot_case(generic(name, formats::e4m3()), 32)
        .product(first, {1, 2}, 1)
        .product(second, {3, 4}, 1)
        .addend(power_of_two(24))
        .result();
  };
  CHECK(pair("mxdotp.l8", 0, 7) == fp32_bits(power_of_two(24) + 2));
  CHECK(pair("mxdotp.l8", 7, 8) == fp32_bits(power_of_two(24)));
  CHECK(pair("mxdotp.l16", 0, 15) == fp32_bits(power_of_two(24) + 2));
  CHECK(pair("mxdotp.l16", 15, 16) == fp32_bits(power_of_two(24)));
}

TEST_CASE("a_unit_is_given_zeros_for_the_products_it_lacks_and_a_definition_is_not") {
  for (const std::string& name : golden::generic_model_names()) {
    INFO(name);
    const bool is_unit = name.starts_with("mxdotp") || name.starts_with("vortex");
    dot_case word(generic(name, formats::e2m1()), 3);
    word.all_codes(0x8, 0).addend_bits(0x80000000);
    CHECK(word.result() == (is_unit ? 0 : 0x80000000));
  }
}

TEST_CASE("fma_multiplies_what_scaled_elements_are_in_fp32") {
  dot_case large(generic("fp32.fma", formats::e2m1(), &formats::e8m(0)), 1);
  large.scale(0, 254, 120);
  CHECK(large.product(0, 1, 1).result() == fp32_bits(power_of_two(120)));
  CHECK(large.product(0, 2, 1).result() == 0x7f800000);  // 2^128 * 2^-7
  dot_case small(generic("fp32.fma", formats::fp16(), &formats::e8m(0)), 1);
  small.scale(0, 0, 254).addend_bits(0x80000000);
  CHECK(small.product(0, power_of_two(-22), 1).result() == fp32_bits(power_of_two(-22)));
  CHECK(small.product(0, 3 * power_of_two(-24), 1).result() == fp32_bits(power_of_two(-22)));
  CHECK(small.product(0, -power_of_two(-24), 1).result() == 0);  // not -0: the scale made it
  CHECK(small.codes(0, 0x8000, 0x3c00).result() == 0x80000000);
}

TEST_CASE("an_infinite_scale_is_read_as_nan_and_a_negative_one_leaves_zeros_their_signs") {
  for (const std::string& name : golden::generic_model_names()) {
    INFO(name);
    dot_case word(generic(name, formats::e2m1(), &formats::fp32()), 16);
    word.all_codes(0x8, 0).addend_bits(0x80000000);
    CHECK(word.scale(0, fp32_bits(-2), fp32_bits(3)).result() == 0x80000000);
    CHECK(word.product(0, 1, 1).result() == fp32_bits(-6));
    CHECK(word.scale(0, 0x7f800000, fp32_bits(3)).result() == 0x7fc00000);
  }
}

TEST_CASE("the_last_block_may_be_short") {
  for (const std::string& name : golden::generic_model_names()) {
    INFO(name);
    const auto model = golden::generic_model(name, formats::e2m1(), formats::e2m1(),
                                             &formats::e8m(0), std::size_t{4});
    const std::vector<std::uint32_t> ones(6, 0x2), scales{127, 130}, three{127, 130, 127};
    CHECK(golden::dot(*model, {ones, ones, 0, scales, scales}) == fp32_bits(4 + 2 * 64));
    CHECK_THROWS_AS(golden::dot(*model, {ones, ones, 0, three, three}), std::invalid_argument);
    CHECK(golden::dot(*model, {{}, {}, 0xff800001}) == 0xff800001);
  }
}

TEST_CASE("vortex_keeps_what_it_cuts_off_as_a_sticky_bit") {
  const auto sum = [](const rational& large, const rational& small, const rational& c) {
    return dot_case(generic("vortex.tfr", formats::bf16()), 8)
        .product(0, large, 1)
        .product(1, small, 1)
        .addend(c)
        .result();
  };
  const rational ulp = power_of_two(-23);
  CHECK(sum(1, ulp / 2, 0) == fp32_bits(1));                         // a tie to even
  CHECK(sum(1, ulp / 2, power_of_two(-60)) == fp32_bits(1 + ulp));   // and a little more
  CHECK(sum(1, ulp / 2, -power_of_two(-60)) == fp32_bits(1 + ulp));  // of magnitudes
  CHECK(sum(1, -1, power_of_two(-60)) == 0);                         // not of a zero
  CHECK(sum(power_of_two(-126), -power_of_two(-127), 0) == 0);       // no subnormal results
  CHECK(sum(-power_of_two(-126), power_of_two(-127), 0) == 0x80000000);
}

}  // namespace
