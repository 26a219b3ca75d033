// SPDX-License-Identifier: Apache-2.0
// tests/unit/block/block_quantizer_test.cpp: mx/block/block_quantizer.h.
#include <random>
#include <vector>

#include "catch.h"
#include "mx/block/block_quantizer.h"
#include "mx/block/names.h"

namespace {

using mx::quantization;
using mx::refusal;
using mx::scale_rule;
namespace formats = mx::formats;
namespace blocks = mx::block_formats;
using floats = std::vector<float>;

struct coded {
  mx::chosen_scale scale;
  std::vector<std::uint8_t> codes;
};

coded quantized(const quantization& q, const floats& x,
                const mx::unpacked& tensor = mx::no_tensor_scale, std::uint64_t number = 0) {
  coded result{{}, std::vector<std::uint8_t>(x.size())};
  result.scale = mx::quantize_block(q, x.data(), tensor, number, result.codes.data());
  return result;
}

floats random_block(std::size_t count, std::mt19937& random) {
  floats x(count);
  for (float& value : x) {
    value = mx::float_of((random() & 0x807FFFFFU) | (115U + random() % 12U) << 23);
  }
  return x;
}

quantization with_rule(scale_rule rule, mx::block_format f = blocks::mxfp4) { return {f, rule}; }

TEST_CASE("every_refusal_has_its_case_and_the_border_beside_it_is_allowed") {
  const auto of = [](mx::block_format f, scale_rule rule = scale_rule::floor) {
    return mx::refusal_of({f, rule});
  };
  mx::block_format f = blocks::mxfp4;
  CHECK(of(f) == refusal::none);
  for (const int rows : {0, -1, 1025})
    CHECK(of({formats::e2m1, formats::e8m0, rows, 8}) == refusal::shape);
  for (const int columns : {0, -1, (1 << 20) + 1}) {
    CHECK(of({formats::e2m1, formats::e8m0, 1, columns}) == refusal::shape);
  }
  CHECK(of({formats::e2m1, formats::e8m0, 1, 1 << 20}) == refusal::none);
  CHECK(of({formats::e2m1, formats::e8m0, 1024, 1024}) == refusal::none);
  CHECK(of({formats::e2m1, formats::e8m0, 1024, 1025}) == refusal::shape);
  CHECK(of({formats::e2m1, formats::e8m0, 1, 1}) == refusal::none);
  CHECK(of({formats::bfloat16, formats::e8m0}) == refusal::element);
  CHECK(of({formats::e8m0, formats::e8m0}) == refusal::element);
  CHECK(of({formats::e4m3, formats::e8m0}, scale_rule::static_four) == refusal::needs_e2m1);
  CHECK(of(f, scale_rule::static_four) == refusal::none);
  for (const scale_rule rule : {scale_rule::four_over_six_mse, scale_rule::four_over_six_mae,
                                scale_rule::four_over_six_abs_max}) {
    CHECK(of({formats::e2m3, formats::ue4m3}, rule) == refusal::needs_e2m1);
    CHECK(of(f, rule) == refusal::needs_fractions);
    CHECK(of({formats::e2m1, formats::ue4m3}, rule) == refusal::none);
    CHECK(of(blocks::nvfp4, rule) == refusal::none);
  }
  CHECK(of({formats::e2m1, formats::e8m0, 1, 256}, scale_rule::quest) == refusal::none);
  CHECK(of({formats::e2m1, formats::e8m0, 1, 257}, scale_rule::quest) == refusal::quest);
  CHECK(of(blocks::nvfp4, scale_rule::quest) == refusal::quest);
  for (const int fraction : {0, 1}) {
    const mx::format wide{6, fraction, 31}, shifted{6, fraction, -32}, narrow{5, fraction + 1, 64};
    CHECK(of({wide}, scale_rule::mse) == refusal::search_range);
    CHECK(of({shifted}, scale_rule::mse) == refusal::search_range);
    CHECK(of({narrow}, scale_rule::mse) == refusal::none);
    CHECK(of({wide}, scale_rule::ideal) == refusal::none);
  }
  f.precision = mx::scale_precision::exact;
  CHECK(of(f, scale_rule::ideal) == refusal::none);
  CHECK(of(f, scale_rule::rceil) == refusal::exact_rule);
  f.tensor = mx::tensor_scaling::per_row;
  CHECK(of(f, scale_rule::ideal) == refusal::exact_rule);
  f.precision = mx::scale_precision::stored;
  CHECK(of(f) == refusal::none);
  f.scale = formats::binary32;
  CHECK(of(f) == refusal::tensor_scale);
  f.scale = formats::e8m(9);
  CHECK(of(f) == refusal::tensor_scale);
}

TEST_CASE("stochastic_rounding_takes_1_to_24_bits") {
  quantization q;
  q.rounding = mx::rounding::stochastic;
  for (int bits = -1; bits < 40; ++bits) {
    q.random.bits = bits;
    const bool allowed = bits >= 1 && bits <= 24;
    CHECK(mx::refusal_of(q) == (allowed ? refusal::none : refusal::random_bits));
  }
  q.rounding = mx::rounding::toward_zero;
  CHECK(mx::refusal_of(q) == refusal::none);
}

TEST_CASE("mxfp4_is_the_block_of_mx_block_h") {
  std::mt19937 random(1);
  for (int i = 0; i < 300; ++i) {
    const floats x = random_block(32, random);
    for (const scale_rule rule : {scale_rule::floor, scale_rule::rceil, scale_rule::even}) {
      const coded found = quantized(with_rule(rule), x);
      const mx::mxfp4 expected = mx::quantize(x.data(), rule);
      REQUIRE(found.scale.code == expected.scale.code);
      for (std::size_t j = 0; j < 32; ++j) {
        REQUIRE(found.codes[j] == expected.elements[j].code);
        REQUIRE(mx::dequantize_element(blocks::mxfp4, found.codes[j], found.scale.code,
                                       mx::no_tensor_scale) ==
                mx::dequantize(expected.elements[j], expected.scale));
      }
    }
  }
}

TEST_CASE("a_special_block_has_the_nan_of_its_scale_format_and_codes_of_zero") {
  for (const mx::format& scale :
       {formats::e8m0, formats::e8m(5), formats::ue4m3, formats::ue5m3, formats::binary32}) {
    for (const std::uint32_t bits : {0x7F800000U, 0xFF800000U, 0x7FC00000U, 0xFFFFFFFFU}) {
      const coded found = quantized({{formats::e5m2, scale, 1, 3}}, {1, mx::float_of(bits), -1});
      CHECK(found.scale.special);
      CHECK(found.scale.code == scale.nan_code());
      CHECK(found.codes == std::vector<std::uint8_t>{0, 0, 0});
      CHECK(mx::bits_of(mx::dequantize_element({formats::e5m2, scale}, 0, found.scale.code,
                                               mx::no_tensor_scale)) == 0x7FC00000);
    }
  }
}

/// Scales of blocks of growing amax under a rule; empty if the format does not take it.
std::vector<std::uint32_t> scales_under(const mx::block_format& f, scale_rule rule) {
  std::vector<std::uint32_t> codes;
  if (mx::refusal_of({f, rule}) != refusal::none) return codes;
  for (int amax = 256; amax < 512; ++amax) {
    const float x[] = {static_cast<float>(amax), 160.0F, -148.0F, 96.0F, 70.0F, 30.0F, 20.0F, 9.0F};
    codes.push_back(mx::scale_of({f, rule}, x, 8, mx::no_tensor_scale).code);
  }
  return codes;
}

TEST_CASE("every_two_rules_choose_different_scales_under_some_format") {
  const mx::block_format some[] = {{formats::e2m1, formats::e8m0, 1, 8},
                                   {formats::e2m1, formats::binary32, 1, 8},
                                   {formats::e4m3, formats::e8m0, 1, 8}};
  const auto differ = [&](scale_rule a, scale_rule b) {
    return std::any_of(std::begin(some), std::end(some), [&](const mx::block_format& f) {
      return scales_under(f, a) != scales_under(f, b);
    });
  };
  for (const auto& rule : mx::scale_rule_table) {
    INFO(rule.name);
    // Inputs of a rule without a formula.
    CHECK(differ(rule.value, static_cast<scale_rule>(255)));
    for (const auto& other : mx::scale_rule_table) {
      INFO(other.name);
      CHECK(differ(rule.value, other.value) == (rule.value != other.value));
    }
  }
}

TEST_CASE("a_block_of_zeros_has_the_scale_code_0_and_keeps_signs_where_there_are_any") {
  for (const mx::format& scale :
       {formats::e8m0, formats::e8m(5), formats::ue4m3, formats::binary32}) {
    for (const auto& rule : mx::scale_rule_table) {
      const quantization q{{formats::e2m1, scale, 1, 2}, rule.value};
      if (mx::refusal_of(q) != mx::refusal::none) continue;
      const coded found = quantized(q, {0.0F, -0.0F});
      CHECK(found.scale.code == 0);
      CHECK_FALSE(found.scale.special);
      CHECK(found.codes == std::vector<std::uint8_t>{0, 8});
    }
    CHECK(quantized({{formats::int8, scale, 1, 2}}, {0.0F, -0.0F}).codes ==
          std::vector<std::uint8_t>{0, 0});
  }
}

TEST_CASE("an_exact_scale_maps_amax_to_the_largest_element") {
  std::mt19937 random(2);
  for (const mx::format& element : {formats::e2m1, formats::e4m3, formats::int8}) {
    mx::block_format f{element, formats::e8m0, 1, 8};
    f.precision = mx::scale_precision::exact;
    for (int i = 0; i < 100; ++i) {
      floats x = random_block(8, random);
      x[3] = 1e6F;
      const coded found = quantized({f, scale_rule::ideal}, x);
      CHECK(found.codes[3] == element.max_code());
      CHECK(mx::dequantize_element(f, found.codes[3], found.scale.ratio) == 1e6F);
    }
  }
}

TEST_CASE("random_bits_follow_the_number_of_the_block_and_the_place_in_it") {
  quantization q{{formats::e2m1, formats::e8m0, 1, 16}};
  q.rounding = mx::rounding::stochastic;
  q.random = {77, 8};
  floats x(16, 2.5F);
  x[0] = 4.0F;  // the scale is 1, and every other element lies half way
  for (const std::uint64_t number : {std::uint64_t{0}, std::uint64_t{3}, std::uint64_t{1} << 40}) {
    const coded found = quantized(q, x, mx::no_tensor_scale, number);
    for (std::uint64_t i = 1; i < 16; ++i) {
      const bool up = mx::random_bits_of(q.random, number * 16 + i) >= 128;
      CHECK(found.codes[i] == (up ? 5 : 4));
    }
  }
}

TEST_CASE("infinity_as_an_element_keeps_its_sign_but_under_a_scale_of_zero") {
  const mx::block_format f{formats::e5m2, formats::ue4m3};
  const auto value = [&](std::uint32_t code, std::uint32_t scale) {
    return mx::bits_of(mx::dequantize_element(f, code, scale, mx::no_tensor_scale));
  };
  CHECK(value(0x7C, 5) == 0x7F800000);
  CHECK(value(0xFC, 5) == 0xFF800000);
  CHECK(value(0x7C, 0) == 0x7FC00000);
  CHECK(value(0x7D, 5) == 0x7FC00000);
  CHECK(value(0x80, 5) == 0x80000000);
  CHECK(value(0x80, 0) == 0x80000000);
  CHECK(value(0x80, 127) == 0x7FC00000);
}

TEST_CASE("a_scale_of_others_may_have_a_sign_and_inf_is_no_scale") {
  const auto value = [](std::uint32_t code, std::uint32_t scale) {
    return mx::bits_of(mx::dequantize_element({formats::e5m2, formats::binary32}, code, scale,
                                              mx::no_tensor_scale));
  };
  CHECK(value(0x3C, 0xBF800000) == 0xBF800000);  // 1 * -1
  CHECK(value(0xBC, 0xBF800000) == 0x3F800000);
  CHECK(value(0x00, 0xBF800000) == 0x80000000);
  CHECK(value(0x3C, 0x80000000) == 0x80000000);
  CHECK(value(0x7C, 0xBF800000) == 0xFF800000);
  CHECK(value(0xFC, 0xBF800000) == 0x7F800000);
  for (const std::uint32_t scale : {0x7F800000U, 0xFF800000U, 0xFFFFFFFFU}) {
    for (const std::uint32_t code : {0x00U, 0x3CU, 0x7CU}) CHECK(value(code, scale) == 0x7FC00000);
  }
}

TEST_CASE("a_tensor_scale_that_is_nan_or_inf_makes_the_tensor_nan") {
  const auto value = [](const mx::block_format& f, float tensor) {
    return mx::bits_of(mx::dequantize_element(f, 2, 0x38, mx::unpack(tensor)));
  };
  for (const std::uint32_t bits : {0x7F800000U, 0xFF800000U, 0x7FC00000U, 0xFF800001U}) {
    CHECK(value(blocks::nvfp4, mx::float_of(bits)) == 0x7FC00000);
    CHECK(value({formats::e2m1, formats::ue4m3}, mx::float_of(bits)) == 0x3F800000);
  }
  CHECK(value(blocks::nvfp4, -2.0F) == 0xC0000000);
}

TEST_CASE("a_product_beyond_or_below_fp32_is_rounded_once") {
  const mx::block_format f{formats::e5m2, formats::e8m(8)};
  CHECK(mx::bits_of(mx::dequantize_element(f, 0x7B, (254U << 8) + 255, mx::no_tensor_scale)) ==
        0x7F800000);
  // 1.25 * 2^-16 times (1 + 1/256) 2^-127: below the smallest subnormal's half or above it.
  CHECK(mx::dequantize_element(f, 0x01, 1, mx::no_tensor_scale) == 0x1.01p-143F);
  mx::block_format scaled = f;
  scaled.tensor = mx::tensor_scaling::per_tensor;
  CHECK(mx::dequantize_element(scaled, 0x01, 1, mx::unpack(0x1p-7F)) == 0x1p-149F);
  CHECK(mx::dequantize_element(scaled, 0x01, 1, mx::unpack(0x1p-8F)) == 0.0F);
  // A tensor scale that the format does not have is ignored.
  CHECK(mx::dequantize_element(f, 0x01, 1, mx::unpack(0x1p-8F)) == 0x1.01p-143F);
}

constexpr std::uint32_t scale_of_ramp() {
  const float x[] = {0.5F, -1.0F, 3.0F, -13.0F};
  std::uint8_t codes[4] = {};
  const mx::chosen_scale scale =
      mx::quantize_block({{formats::e2m1, formats::ue4m3, 1, 4}, scale_rule::four_over_six_mse}, x,
                         mx::no_tensor_scale, 0, codes);
  return scale.code << 8 | codes[3];
}
static_assert((scale_of_ramp() & 15U) >= 14);  // -4 or -6
constexpr bool quest_is_constexpr() {
  const float x[] = {1.0F, -1.0F};
  return mx::finite_scale_code({{formats::e2m1, formats::e8m0, 1, 2}, scale_rule::quest}, x, 2,
                               mx::unpack(1.0F), mx::no_tensor_scale) == 125;
}
static_assert(quest_is_constexpr());

TEST_CASE("under_a_tensor_scale_that_is_not_positive_and_finite_blocks_are_special_unless_zero") {
  const floats x{1, -2.5F, 0, 6, 0.75F, -0.0F, 3, 1, 1, -2.5F, 0, 6, 0.75F, -0.0F, 3, 1};
  const floats zeros(16, -0.0F);
  mx::block_format wide = blocks::nvfp4, above = blocks::nvfp4;
  wide.scale = formats::ue5m3;
  above.scale = formats::e8m0;
  for (const mx::block_format& f : {blocks::nvfp4, wide, above}) {
    for (const scale_rule rule : {scale_rule::ideal, scale_rule::rceil, scale_rule::mse,
                                  scale_rule::four_over_six_mse, scale_rule::floor}) {
      if (mx::refusal_of({f, rule}) != refusal::none) continue;
      for (const std::uint32_t bits : {0x00000000U, 0x80000000U, 0x7F800000U, 0xFF800000U,
                                       0x7FC00000U, 0xFF800001U, 0xBF800000U, 0x80000001U}) {
        INFO(bits);
        const mx::unpacked tensor = mx::unpack(mx::float_of(bits));
        const coded made = quantized({f, rule}, x, tensor);
        CHECK(made.scale.special);
        CHECK(made.scale.code == f.scale.nan_code());
        CHECK(made.codes == std::vector<std::uint8_t>(16, 0));
        const coded none = quantized({f, rule}, zeros, tensor);
        CHECK((!none.scale.special && none.scale.code == 0));
        CHECK(none.codes == std::vector<std::uint8_t>(16, 8));
      }
      const coded smallest = quantized({f, rule}, x, mx::unpack(0x1p-149F));
      CHECK(!smallest.scale.special);
    }
  }
}

}  // namespace
