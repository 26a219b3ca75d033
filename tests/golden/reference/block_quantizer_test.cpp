// SPDX-License-Identifier: Apache-2.0
// tests/golden/reference/block_quantizer_test.cpp: blocks in any format, quantized and decoded,
// computed by hand.
#include <random>

#include "catch.h"
#include "golden/reference/block_quantizer.h"
#include "golden/reference/quantizer.h"

namespace {

namespace formats = golden::formats;
using golden::bits_of;
using golden::float_of;
using golden::number_format;
using golden::power_of_two;
using golden::quantization;
using golden::quantized_block;
using golden::rational;
using golden::rounding;
using golden::scale_rule;
using codes = std::vector<std::uint32_t>;

constexpr std::uint32_t nan_bits = 0x7fc00000;

quantization with(const number_format& element, const number_format* scale, scale_rule rule) {
  quantization q;
  q.element = &element;
  q.scale = scale;
  q.rule = rule;
  return q;
}

TEST_CASE("an_mxfp8_block_is_quantized_as_by_hand") {
  const std::vector<float> x{448, -500, 1, 0.3F, -0.0F, 17};
  const quantized_block floor =
      quantize_block(x, with(formats::e4m3(), &formats::e8m(0), scale_rule::floor));
  CHECK(floor.scale.code == 127);
  CHECK(floor.codes == codes{0x7e, 0xfe, 0x38, 0x2a, 0x80, 0x58});  // .3 to .3125, tie 17 to 16
  const quantized_block rceil =
      quantize_block(x, with(formats::e4m3(), &formats::e8m(0), scale_rule::rceil));
  CHECK(rceil.scale.code == 128);
  CHECK(rceil.codes == codes{0x76, 0xf8, 0x30, 0x22, 0x80, 0x50});  // 250 to 256
}

TEST_CASE("an_mxint8_block_is_quantized_as_by_hand") {
  const quantized_block block =
      quantize_block({1, -1, -1.995F, 0.5F, 0x1.8p-6F, -0x1p-7F},
                     with(formats::int8(), &formats::e8m(0), scale_rule::floor));
  CHECK(block.scale.code == 127);
  CHECK(block.codes == codes{0x40, 0xc0, 0x81, 0x20, 2, 0});
}

TEST_CASE("a_block_with_a_tensor_scale_divides_by_both_scales_exactly") {
  const quantization q = with(formats::e2m1(), &formats::ue4m3(), scale_rule::ideal);
  const quantized_block block = quantize_block({9, 4, -1, 0.1F}, q, rational(1, 2));
  CHECK(block.scale.code == 0x44);          // 18 / 6
  CHECK(block.codes == codes{7, 5, 9, 0});  // 6, 2.67 to 3, -.67 to -.5, .067
  const std::vector<float> back = dequantize_block(block, formats::e2m1(), rational(1, 2));
  CHECK(back == std::vector<float>{9, 4.5F, -0.75F, 0});
}

TEST_CASE("an_unrounded_scale_brings_amax_back_exactly") {
  const quantization q = with(formats::e2m1(), golden::unrounded, scale_rule::ideal);
  const quantized_block block = quantize_block({7, 3.5F, -1}, q);
  CHECK(block.codes == codes{7, 5, 10});
  const std::vector<float> back = dequantize_block(block, formats::e2m1());
  CHECK(back[0] == 7);
  CHECK(back[1] == 3.5F);
  CHECK(bits_of(back[2]) == 0xbf955555);  // -7/6
}

TEST_CASE("a_zero_scale_makes_zeros_that_keep_their_signs") {
  const float little = 0x1p-30F;
  for (const number_format* element : {&formats::e2m1(), &formats::int8()}) {
    const quantization q = with(*element, &formats::ue4m3(), scale_rule::ideal);
    const quantized_block block = quantize_block({little, -little, 0}, q);
    const bool has_minus = element == &formats::e2m1();
    CHECK(block.scale.code == 0);
    CHECK(block.codes == codes{0, has_minus ? 8U : 0U, 0});
    const std::vector<float> back = dequantize_block(block, *element);
    CHECK(bits_of(back[1]) == (has_minus ? 0x80000000 : 0U));
  }
}

TEST_CASE("special_blocks_have_the_nan_scale_of_their_format_and_codes_0") {
  for (const std::uint32_t special : {0x7f800000U, 0xff800000U, 0x7fc00000U, 0xff812345U}) {
    for (const number_format* scale :
         {&formats::e8m(0), &formats::e8m(7), &formats::ue4m3(), golden::unrounded}) {
      const quantization q = with(formats::e4m3(), scale, scale_rule::ideal);
      const quantized_block block = quantize_block({1, float_of(special), -2}, q);
      CHECK(block.scale.value.kind == golden::number_kind::nan);
      CHECK(block.codes == codes{0, 0, 0});
      for (const float x : dequantize_block(block, formats::e4m3())) CHECK(bits_of(x) == nan_bits);
    }
  }
}

TEST_CASE("special_element_codes_dequantize_to_nan_and_infinity") {
  const auto through = [](const number_format& element, const number_format& scale,
                          std::uint32_t scale_code, std::uint32_t code) {
    return bits_of(golden::dequantized(element.decode(code), scale.decode(scale_code), 1));
  };
  const number_format& e8m0 = formats::e8m(0);
  CHECK(through(formats::e4m3(), e8m0, 127, 0xff) == nan_bits);
  CHECK(through(formats::e5m2(), e8m0, 127, 0x7e) == nan_bits);
  CHECK(through(formats::e5m2(), e8m0, 0, 0x7c) == 0x7f800000);
  CHECK(through(formats::e5m2(), e8m0, 0, 0xfc) == 0xff800000);
  CHECK(through(formats::e5m2(), formats::ue4m3(), 0, 0xfc) == nan_bits);
  CHECK(through(formats::e5m2(), e8m0, 255, 0x7c) == nan_bits);
  CHECK(through(formats::e4m3fnuz(), e8m0, 127, 0x80) == nan_bits);
  CHECK(through(formats::int8(), e8m0, 127, 0x80) == bits_of(-2.0F));
  CHECK(through(formats::e2m1(), e8m0, 254, 7) == 0x7f800000);
  CHECK(through(formats::e2m1(), e8m0, 0, 9) == 0x80200000);
  CHECK(through(formats::e2m1(), formats::ue4m3(), 0, 0xf) == 0x80000000);
}

TEST_CASE("a_scale_that_is_infinite_makes_nan_and_signs_of_scales_multiply") {
  const auto through = [](const number_format& element, std::uint32_t code, std::uint32_t scale,
                          std::uint32_t above) {
    return bits_of(golden::dequantized(element.decode(code), formats::fp32().decode(scale),
                                       formats::fp32().decode(above)));
  };
  const std::uint32_t one = 0x3f800000, minus_one = 0xbf800000, infinite = 0x7f800000;
  for (const std::uint32_t code : {0U, 1U, 9U, 15U}) {
    CHECK(through(formats::e2m1(), code, infinite, one) == nan_bits);
    CHECK(through(formats::e2m1(), code, 0xff800000, one) == nan_bits);
    CHECK(through(formats::e2m1(), code, one, infinite) == nan_bits);
    CHECK(through(formats::e2m1(), code, one, nan_bits) == nan_bits);
  }
  CHECK(through(formats::e5m2(), 0x7c, infinite, one) == nan_bits);
  CHECK(through(formats::e2m1(), 7, minus_one, one) == bits_of(-6.0F));
  CHECK(through(formats::e2m1(), 15, minus_one, one) == bits_of(6.0F));
  CHECK(through(formats::e2m1(), 15, minus_one, minus_one) == bits_of(-6.0F));
  CHECK(through(formats::e2m1(), 0, minus_one, one) == 0x80000000);
  CHECK(through(formats::e2m1(), 8, minus_one, one) == 0);
  CHECK(through(formats::e2m1(), 2, 0x80000000, one) == 0x80000000);
  CHECK(through(formats::e5m2(), 0x7c, minus_one, one) == 0xff800000);
  CHECK(through(formats::e5m2(), 0x7c, one, minus_one) == 0xff800000);
  CHECK(through(formats::e5m2(), 0x7c, one, 0x80000000) == nan_bits);
}

TEST_CASE("dequantization_rounds_the_exact_product_once") {
  const golden::number element = formats::e2m1().decode(3);
  const golden::number scale = formats::e8m(2).decode(127 * 4 + 3);  // 1.75
  // 2.625 * (1 + 2^-23), to be held in steps of 2^-22: a step and .3125 of one.
  CHECK(golden::dequantized(element, scale, 1 + power_of_two(-23)) == 0x1.500002p+1F);
  CHECK(bits_of(golden::dequantized(element, scale, power_of_two(-150))) == 1);
}

TEST_CASE("stochastic_rounding_of_a_block_draws_by_the_index_in_the_tensor") {
  quantization q = with(formats::e2m1(), &formats::e8m(0), scale_rule::floor);
  q.mode = rounding::stochastic;
  // The bytes of the first two words are d5 27 e8 66 and 8d 69 c5 e1.
  const float cut = 0x55p-9F;  // goes from 0 to a half with the bytes from 0xab on
  const std::vector<float> x{4, -cut, cut, cut};
  CHECK(quantize_block(x, q, 1, 0).codes == codes{6, 8, 1, 0});
  CHECK(quantize_block(x, q, 1, 4).codes == codes{6, 8, 1, 1});
  q.random.map = golden::byte_map::te_soft;
  CHECK(quantize_block(x, q, 1, 0).codes == codes{6, 9, 0, 0});
}

TEST_CASE("the_mxfp4_quantizer_is_a_point_of_the_general_one") {
  std::mt19937 random(7);
  for (int i = 0; i < 40; ++i) {
    std::vector<float> x(32);
    for (float& value : x) value = float_of((random() & 0x81ffffffU) + 0x3f000000U);
    if (i == 0) x[3] = float_of(0x7f800000);
    for (const scale_rule rule : {scale_rule::floor, scale_rule::rceil, scale_rule::mse,
                                  scale_rule::quest, scale_rule::midmax}) {
      const quantization q = with(formats::e2m1(), &formats::e8m(0), rule);
      const quantized_block general = quantize_block(x, q);
      const golden::coded_block mxfp4 = golden::quantize(x, rule);
      REQUIRE(general.scale.code == mxfp4.scale);
      REQUIRE(general.codes == codes(mxfp4.codes.begin(), mxfp4.codes.end()));
      const std::vector<float> back = golden::dequantize(mxfp4);
      const std::vector<float> general_back = dequantize_block(general, formats::e2m1());
      for (std::size_t k = 0; k < x.size(); ++k) {
        REQUIRE(bits_of(general_back[k]) == bits_of(back[k]));
      }
    }
  }
}

TEST_CASE("quantizing_again_changes_nothing_in_any_element_format") {
  std::mt19937 random(8);
  for (const number_format* element : formats::elements()) {
    const quantization q = with(*element, &formats::e8m(0), scale_rule::floor);
    for (int i = 0; i < 5; ++i) {
      std::vector<float> x(32);
      for (float& value : x) value = float_of((random() & 0x83ffffffU) + 0x3c000000U);
      const quantized_block once = quantize_block(x, q);
      const quantized_block twice = quantize_block(dequantize_block(once, *element), q);
      REQUIRE(twice.codes == once.codes);
      REQUIRE(twice.scale.code == once.scale.code);
    }
  }
}

}  // namespace
