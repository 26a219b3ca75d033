// SPDX-License-Identifier: Apache-2.0
// tests/golden/reference/tensor_quantizer_test.cpp: tensor scales, tiles, edges and the order of
// blocks.
#include <stdexcept>

#include "catch.h"
#include "golden/reference/tensor_quantizer.h"

namespace {

namespace formats = golden::formats;
using golden::bits_of;
using golden::float_of;
using golden::quantized_tensor;
using golden::tensor_quantization;
using golden::tensor_scaling;
using codes = std::vector<std::uint32_t>;

tensor_quantization nvfp4() {
  tensor_quantization q;
  q.of_blocks.scale = &formats::ue4m3();
  q.of_blocks.rule = golden::scale_rule::ideal;
  q.block = {1, 16};
  q.scaling = tensor_scaling::tensor;
  return q;
}

tensor_quantization mxfp4_tiles(golden::block_shape block) {
  tensor_quantization q;
  q.block = block;
  return q;
}

codes scale_codes(const quantized_tensor& tensor) {
  codes list;
  for (const auto& block : tensor.blocks) list.push_back(block.scale.code);
  return list;
}

TEST_CASE("the_tensor_scale_brings_amax_to_the_largest_product") {
  const auto bits = [](const std::vector<float>& x, int bound) {
    return bits_of(golden::tensor_scale(x, formats::e2m1(), bound));
  };
  CHECK(bits({1, -2688}, 448) == bits_of(1.0F));
  CHECK(bits({-1536, 0}, 256) == bits_of(1.0F));
  CHECK(bits({3.7F}, 448) == 0x3ab46b47);
  CHECK(bits({0, -0.0F}, 448) == bits_of(1.0F));
  CHECK(bits({float_of(1)}, 448) == bits_of(1.0F));
  CHECK(bits({2688, float_of(0x7f800000), float_of(0xffc00000)}, 448) == bits_of(1.0F));
  CHECK(bits({}, 448) == bits_of(1.0F));
}

TEST_CASE("nvfp4_scales_are_those_of_the_exact_quotient") {
  const std::vector<std::uint32_t> amax{0x406ccccd, 0x3c7541d5, 0x3ce457c5, 0x3dd36db8};
  std::vector<float> x(64);
  for (std::size_t b = 0; b < 4; ++b) x[16 * b + b] = float_of(amax[b]);
  const quantized_tensor tensor = quantize_tensor(x, {1, 1, 64}, nvfp4());
  CHECK(tensor.tensor_scales == codes(4, 0x3ab46b47));
  CHECK(scale_codes(tensor) == codes{0x7e, 0x3f, 0x45, 0x55});
}

TEST_CASE("row_scales_follow_their_rows") {
  tensor_quantization q = nvfp4();
  q.scaling = tensor_scaling::row;
  q.block = {1, 2};
  const quantized_tensor tensor = quantize_tensor({2688, 6, 0, 1344, 1, 3}, {1, 2, 3}, q);
  const std::uint32_t one = bits_of(1.0F);
  const std::uint32_t half = bits_of(0.5F);
  CHECK(tensor.tensor_scales == codes{one, one, half, half});
  CHECK(scale_codes(tensor) == codes{0x7e, 0, 0x7e, 0x38});
  CHECK(golden::codes_of(tensor) == codes{7, 0, 0, 7, 0, 7});
  CHECK(dequantize_tensor(tensor, formats::e2m1()) == std::vector<float>{2688, 0, 0, 1344, 0, 3});
}

TEST_CASE("tiles_share_a_scale_and_are_filled_up_with_zeros_at_the_edges") {
  const std::vector<float> x{4, 1, 16,  //
                             1, 1, 8,   //
                             2, 2, 32};
  const quantized_tensor tensor = quantize_tensor(x, {1, 3, 3}, mxfp4_tiles({2, 2}));
  CHECK(scale_codes(tensor) == codes{127, 129, 126, 130});
  CHECK(tensor.blocks[1].codes == codes{6, 0, 4, 0});
  CHECK(tensor.blocks[3].codes == codes{6, 0, 0, 0});
  CHECK(golden::codes_of(tensor) == codes{6, 2, 6, 2, 2, 4, 6, 6, 6});
  CHECK(dequantize_tensor(tensor, formats::e2m1()) == x);
}

TEST_CASE("matrices_do_not_share_tiles") {
  const std::vector<float> x{4, 8, 16, 32};
  const quantized_tensor tensor = quantize_tensor(x, {2, 1, 2}, mxfp4_tiles({2, 2}));
  CHECK(scale_codes(tensor) == codes{128, 130});
  CHECK(golden::codes_of(tensor) == codes{4, 6, 4, 6});
}

TEST_CASE("a_special_element_takes_its_own_block_only") {
  const float infinity = float_of(0x7f800000);
  const quantized_tensor tensor =
      quantize_tensor({1, infinity, 4, 4}, {1, 1, 4}, mxfp4_tiles({1, 2}));
  CHECK(scale_codes(tensor) == codes{255, 127});
  const std::vector<float> back = dequantize_tensor(tensor, formats::e2m1());
  CHECK(bits_of(back[0]) == golden::canonical_nan);
  CHECK(back[2] == 4);
}

TEST_CASE("filled_up_zeros_count_for_the_standard_deviation_and_for_random_bits") {
  tensor_quantization q = mxfp4_tiles({1, 4});
  q.of_blocks.rule = golden::scale_rule::quest;
  // 4 beside a zero deviates by 2; beside three zeros by sqrt 3, which is less than 2.053.
  const float x = 4.2F;
  CHECK(scale_codes(quantize_tensor({x}, {1, 1, 1}, q)) == codes{126});
  q.block = {1, 2};
  CHECK(scale_codes(quantize_tensor({x}, {1, 1, 1}, q)) == codes{127});

  q = mxfp4_tiles({1, 4});
  q.of_blocks.mode = golden::rounding::stochastic;
  // Bytes of the elements: d5 27 e8 in the first row's block, 8d 69 c5 in the second's.
  const float cut = 0x55p-9F;  // goes from 0 to a half with the bytes from 0xab on
  const quantized_tensor drawn = quantize_tensor({4, cut, cut, 4, cut, cut}, {1, 2, 3}, q);
  CHECK(golden::codes_of(drawn) == codes{6, 0, 1, 6, 0, 1});
  q.of_blocks.random.bits = 16;  // halves e8d5 6627 c58d e169, then ac4c bc57 dbd8 9b00
  const quantized_tensor finer = quantize_tensor({4, cut, cut, 4, cut, cut}, {1, 2, 3}, q);
  CHECK(golden::codes_of(finer) == codes{6, 0, 1, 6, 1, 1});
}

TEST_CASE("shapes_that_do_not_fit_are_refused_and_empty_ones_are_not") {
  CHECK_THROWS_AS(quantize_tensor({1, 2}, {1, 1, 3}, mxfp4_tiles({1, 2})), std::invalid_argument);
  CHECK_THROWS_AS(quantize_tensor({1}, {1, 1, 1}, mxfp4_tiles({0, 2})), std::invalid_argument);
  tensor_quantization q = nvfp4();
  q.block = {16, 16};
  q.scaling = tensor_scaling::row;
  CHECK_THROWS_AS(quantize_tensor({1}, {1, 1, 1}, q), std::invalid_argument);
  CHECK(quantize_tensor({}, {1, 0, 4}, nvfp4()).blocks.empty());
  CHECK(quantize_tensor({}, {3, 4, 0}, nvfp4()).blocks.empty());
}

}  // namespace
