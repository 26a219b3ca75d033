// SPDX-License-Identifier: Apache-2.0
// tests/cross/tensor_cross_test.cpp: blocks and tiles of whole tensors, under tensor and row
// scales.
#include "catch.h"
#include "critical.h"
#include "golden/reference/tensor_quantizer.h"

namespace {

using cross::quantization_twins;
using floats = std::vector<float>;

struct tensor_case {
  quantization_twins q;
  golden::tensor_shape shape;
  golden::block_shape block;
  mx::tensor_scaling scaling = mx::tensor_scaling::none;
  mx::tensor_bound bound = mx::tensor_bound::largest;
};

golden::tensor_quantization reference_of(const tensor_case& c) {
  const golden::tensor_scaling scalings[] = {
      golden::tensor_scaling::none, golden::tensor_scaling::tensor, golden::tensor_scaling::row};
  const golden::rational bound =
      c.bound == mx::tensor_bound::of_256 ? golden::rational(256) : c.q.scale.reference->largest();
  return {c.q.reference(), c.block, scalings[static_cast<std::size_t>(c.scaling)], bound};
}

mx::quantization core_of(const tensor_case& c) {
  mx::quantization q =
      c.q.core(c.scaling, static_cast<int>(c.block.rows), static_cast<int>(c.block.columns));
  q.format.bound = c.bound;
  return q;
}

// The block at a place of a matrix, zeros beyond its edges.
floats gathered(const tensor_case& c, const float* matrix, std::size_t row, std::size_t column) {
  floats block;
  for (std::size_t r = row; r < row + c.block.rows; ++r) {
    for (std::size_t k = column; k < column + c.block.columns; ++k) {
      const bool inside = r < c.shape.rows && k < c.shape.columns;
      block.push_back(inside ? matrix[r * c.shape.columns + k] : 0.0F);
    }
  }
  return block;
}

float tensor_scale(const tensor_case& c, const float* x, std::size_t count) {
  const mx::block_extent extent = mx::extent_of(x, static_cast<int>(count));
  return mx::tensor_scale_of(core_of(c).format, extent.amax);
}

void expect_agreement(const tensor_case& c, const floats& x) {
  const mx::quantization q = core_of(c);
  REQUIRE(mx::refusal_of(q) == mx::refusal::none);
  const golden::quantized_tensor expected = golden::quantize_tensor(x, c.shape, reference_of(c));
  std::size_t number = 0;
  for (std::size_t matrix = 0; matrix < c.shape.matrices; ++matrix) {
    const float* const first = x.data() + matrix * c.shape.rows * c.shape.columns;
    for (std::size_t row = 0; row < c.shape.rows; row += c.block.rows) {
      for (std::size_t column = 0; column < c.shape.columns; column += c.block.columns) {
        const bool by_row = c.scaling == mx::tensor_scaling::per_row;
        const float above = by_row ? tensor_scale(c, first + row * c.shape.columns, c.shape.columns)
                                   : tensor_scale(c, x.data(), x.size());
        const bool scaled = c.scaling != mx::tensor_scaling::none;
        const floats block = gathered(c, first, row, column);
        std::vector<std::uint8_t> codes(block.size());
        const mx::chosen_scale scale =
            mx::quantize_block(q, block.data(), scaled ? mx::unpack(above) : mx::no_tensor_scale,
                               number, codes.data());
        INFO(c.q.text() << ", block " << number);
        if (scaled) REQUIRE(mx::bits_of(above) == expected.tensor_scales.at(number));
        REQUIRE(scale.code == expected.blocks.at(number).scale.code);
        REQUIRE(std::equal(codes.begin(), codes.end(), expected.blocks[number].codes.begin()));
        ++number;
      }
    }
  }
  REQUIRE(number == expected.blocks.size());
}

floats any_tensor(const golden::tensor_shape& shape, std::mt19937& random) {
  floats x;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const auto bits = static_cast<std::uint32_t>(random());
    x.push_back(mx::float_of((bits & 0x807FFFFFU) | ((bits >> 23 & 7U) + 118U) << 23));
  }
  x[shape.size() / 2] = 0.0F;
  return x;
}

quantization_twins twins(const std::string& element, const std::string& scale,
                         const std::string& rule, std::size_t rounding) {
  quantization_twins q;
  for (const auto& f : cross::element_formats()) q.element = f.name == element ? f : q.element;
  for (const auto& f : cross::scale_formats()) q.scale = f.name == scale ? f : q.scale;
  for (const auto& r : cross::rules()) q.rule = r.name == rule ? r : q.rule;
  q.rounding = cross::roundings()[rounding];
  q.random.seed = 99;
  return q;
}

TEST_CASE("nvfp4_agrees_under_tensor_and_row_scales_of_both_bounds") {
  std::mt19937 random(21);
  for (const std::string rule : {"ideal", "4over6-mse", "4over6-mae", "4over6-abs-max", "rceil",
                                 "floor6", "static-4", "even"}) {
    for (const auto bound : {mx::tensor_bound::largest, mx::tensor_bound::of_256}) {
      for (const auto scaling : {mx::tensor_scaling::per_tensor, mx::tensor_scaling::per_row}) {
        const tensor_case c{
            twins("e2m1", "ue4m3", rule, random() % 5), {1, 4, 53}, {1, 16}, scaling, bound};
        floats x = any_tensor(c.shape, random);
        expect_agreement(c, x);
        x[17] = mx::float_of(mx::nan_bits);
        x[101] = mx::float_of(0xFF800000U);
        expect_agreement(c, x);
      }
    }
  }
}

TEST_CASE("ties_of_nvfp4_at_amax_21_j_2_to_the_k_agree") {
  std::mt19937 random(22);
  for (const std::string rule : {"ideal", "4over6-mse", "4over6-mae", "4over6-abs-max"}) {
    const tensor_case c{twins("e2m1", "ue4m3", rule, 0), {1, 1, 16 * 31}, {1, 16}};
    floats x = any_tensor(c.shape, random);
    for (std::size_t block = 0; block < 31; ++block) {
      const float amax = 21.0F * static_cast<float>(block + 1) * 0x1p-4F;
      for (std::size_t i = 16 * block; i < 16 * block + 16; ++i) {
        x[i] = amax * static_cast<float>(i % 16) / 16.0F;
      }
      x[16 * block] = -amax;
    }
    expect_agreement(c, x);
  }
}

TEST_CASE("tiles_agree_with_edges_that_are_filled_up") {
  std::mt19937 random(23);
  const tensor_case cases[] = {
      {twins("e2m1", "ue4m3", "ideal", 4), {2, 20, 37}, {16, 16}, mx::tensor_scaling::per_tensor},
      {twins("e2m1", "e8m0", "rceil", 4), {1, 33, 40}, {32, 32}},
      {twins("e4m3", "fp32", "ideal", 0), {1, 130, 140}, {128, 128}},
      {twins("e5m2", "e8m0", "even", 3), {3, 5, 6}, {2, 3}},
      {twins("e4m3", "e8m0", "mse", 1), {1, 9, 9}, {4, 4}},
      {twins("int8", "e8m0", "quest", 2), {1, 16, 33}, {16, 16}}};
  for (const tensor_case& c : cases) expect_agreement(c, any_tensor(c.shape, random));
}

TEST_CASE("a_tensor_of_zeros_has_the_tensor_scale_1") {
  const tensor_case c{
      twins("e2m1", "ue4m3", "ideal", 0), {1, 2, 16}, {1, 16}, mx::tensor_scaling::per_tensor};
  expect_agreement(c, floats(32, -0.0F));
}

}  // namespace
