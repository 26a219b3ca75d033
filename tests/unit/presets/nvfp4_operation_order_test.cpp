// SPDX-License-Identifier: Apache-2.0
// tests/unit/presets/nvfp4_operation_order_test.cpp: mx/presets/nvfp4_operation_order.h.
#include <limits>
#include <string>

#include "catch.h"
#include "nvfp4_blocks.h"

namespace {

using mx::nvfp4_order;
using mx::tensor_factor;

const float infinity = std::numeric_limits<float>::infinity();

std::uint32_t scale_code(const char* name, float tensor_amax, float block_amax) {
  const mx::nvfp4_variant& v = *mx::preset_named(mx::nvfp4_presets::all, name);
  const float factor = mx::factor_of(v.order, tensor_amax);
  return mx::encoded_scale(v.order.scale,
                           mx::block_scale_of(v.order, block_amax, factor, v.order.max));
}

// In a tensor with amax 3.7.
TEST_CASE("orders_of_operations_give_different_scales_at_the_witnesses") {
  struct witness {
    std::uint32_t amax, folded, divided_times, reciprocal_first, divided_over;
  };
  constexpr witness witnesses[] = {{0x3C7541D5, 0x3E, 0x3F, 0x3F, 0x3F},
                                   {0x3CE457C5, 0x45, 0x45, 0x46, 0x45},
                                   {0x3DD36DB8, 0x55, 0x54, 0x54, 0x55}};
  for (const witness& w : witnesses) {
    const float a = mx::float_of(w.amax);
    INFO(std::hex << w.amax);
    for (const char* name : {"te.nvfp4", "te.nvfp4-reference", "flashinfer.nvfp4"}) {
      CHECK(scale_code(name, 3.7F, a) == w.folded);
    }
    for (const char* name :
         {"te.4over6-mae", "fouroversix.nvfp4-static-6", "torchao.nvfp4-training-0.18"}) {
      CHECK(scale_code(name, 3.7F, a) == w.divided_times);
    }
    for (const char* name : {"flashinfer.nvfp4-fast", "trtllm.nvfp4", "vllm.nvfp4"}) {
      CHECK(scale_code(name, 3.7F, a) == w.reciprocal_first);
    }
    CHECK(scale_code("torchao.nvfp4", 3.7F, a) == w.divided_over);
  }
}

TEST_CASE("the_tensors_factor_at_the_ends_of_the_range_differs_by_kernel") {
  const auto factor = [](tensor_factor which, float amax) {
    return mx::factor_of({.tensor = which}, amax);
  };
  CHECK(factor(tensor_factor::encode, 2688.0F) == 1.0F);
  CHECK(factor(tensor_factor::decode, 2688.0F) == 1.0F);
  CHECK(factor(tensor_factor::decode_in_two, 2688.0F) == 1.0F);
  CHECK(factor(tensor_factor::none, 5.0F) == 1.0F);
  CHECK(factor(tensor_factor::encode, 0.0F) == infinity);
  CHECK(factor(tensor_factor::encode_capped, 0.0F) == mx::fp32::largest);
  CHECK(factor(tensor_factor::encode_guarded, 0.0F) == 1.0F);
  CHECK(factor(tensor_factor::decode, 0.0F) == 0.0F);
  CHECK(factor(tensor_factor::decode_in_two, 0.0F) == 1.0F);
  CHECK(factor(tensor_factor::encode, 0x1p-126F) == infinity);
  CHECK(factor(tensor_factor::encode_guarded, 0x1p-126F) == mx::fp32::largest);
  CHECK(factor(tensor_factor::encode_guarded, infinity) == 1.0F);
  CHECK(factor(tensor_factor::encode_capped, infinity) == 1.0F);
  CHECK(factor(tensor_factor::encode_guarded, mx::fp32::nan) == mx::fp32::largest);
  CHECK(mx::fp32::is_nan(factor(tensor_factor::encode_capped, mx::fp32::nan)));
}

TEST_CASE("two_divisions_by_bound_and_six_are_not_one_by_their_product") {
  int different = 0;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    const float amax = mx::float_of(0x40000000 + 7919 * i);
    different += mx::factor_of({.tensor = tensor_factor::decode}, amax) !=
                 mx::factor_of({.tensor = tensor_factor::decode_in_two}, amax);
  }
  CHECK(different > 100);
}

TEST_CASE("scales_are_encoded_with_the_kernels_own_floors_and_overflows") {
  using mx::encoded_scale, mx::scale_encoding;
  CHECK(encoded_scale(scale_encoding::saturating, infinity) == 0x7E);
  CHECK(encoded_scale(scale_encoding::saturating, mx::fp32::nan) == 0x7F);
  CHECK(encoded_scale(scale_encoding::saturating, 0x1p-10F) == 0x00);
  CHECK(encoded_scale(scale_encoding::nan_beyond, infinity) == 0x7F);
  CHECK(encoded_scale(scale_encoding::nan_beyond, 464.0F) == 0x7E);
  CHECK(encoded_scale(scale_encoding::nan_as_zero, mx::fp32::nan) == 0x00);
  CHECK(encoded_scale(scale_encoding::at_least_normal, 0x1p-9F) == 0x08);
  CHECK(encoded_scale(scale_encoding::at_least_normal, mx::fp32::nan) == 0x7F);
  CHECK(encoded_scale(scale_encoding::at_least_one, 0x1p-140F) == 0x01);
  CHECK(encoded_scale(scale_encoding::at_least_one, 0.0F) == 0x00);
  CHECK(encoded_scale(scale_encoding::ggml, 256.0F) == 0x7E);
}

// In a tensor with amax 2688, whose factor is 1 in both orders, a block with amax 2^-10.
TEST_CASE("an_underflowing_block_is_multiplied_by_what_its_kernel_makes_of_zero") {
  const auto multiplier = [](const char* name, float block_amax) {
    const mx::nvfp4_variant& v = *mx::preset_named(mx::nvfp4_presets::all, name);
    return mx::multiplier_of(v.order, 0, block_amax, mx::factor_of(v.order, 2688.0F));
  };
  CHECK(multiplier("te.nvfp4", 0x1p-10F) == mx::fp32::largest);
  CHECK(multiplier("te.nvfp4-fast-math", 0x1p-10F) == 0x1.fep127F);
  CHECK(multiplier("te.4over6-mse", 0x1p-10F) == mx::fp32::largest);
  CHECK(multiplier("flashinfer.nvfp4", 0x1p-10F) == infinity);
  CHECK(multiplier("flashinfer.nvfp4", 0.0F) == 0.0F);
  CHECK(multiplier("flashinfer.nvfp4-fast", 0x1p-10F) == infinity);
  CHECK(multiplier("flashinfer.nvfp4-fast", 0.0F) == 0.0F);
  CHECK(multiplier("vllm.nvfp4", 0x1p-10F) == 0.0F);
  CHECK(multiplier("triton.nvfp4", 0x1p-10F) == 0.0F);
  CHECK(multiplier("quartet2.nvfp4", 0x1p-10F) == 1.0F);
}

TEST_CASE("an_approximate_reciprocal_flushes_what_an_exact_one_keeps") {
  const nvfp4_order exact{.limit = mx::multiplier_limit::none};
  nvfp4_order flushed = exact;
  flushed.reciprocals = mx::fp32::reciprocal_subnormals::flushed;
  CHECK(mx::multiplier_of(exact, 0x38, 1.0F, 0x1p127F) == 0x1p127F);
  CHECK(mx::multiplier_of(flushed, 0x38, 1.0F, 0x1p127F) == infinity);
}

TEST_CASE("torchao_divides_the_reciprocal_where_others_take_the_reciprocal_of_a_product") {
  int different = 0;
  for (std::uint32_t code = 0x08; code < 0x7F; ++code) {
    const float s = mx::to_binary32(mx::decode(mx::formats::ue4m3, code));
    const float p = 3.7F / 2688.0F;
    const auto& v = *mx::preset_named(mx::nvfp4_presets::all, "torchao.nvfp4");
    const float m = mx::multiplier_of(v.order, code, 1.0F, p);
    REQUIRE(m == (1.0F / p) / s);
    different += m != 1.0F / (s * p);
  }
  CHECK(different > 0);
}

mx::nvfp4_variant dividing(mx::multiplier_order multiplier, mx::scaled_element product) {
  mx::nvfp4_variant v;
  v.order.tensor = tensor_factor::decode;
  v.order.multiplier = multiplier;
  v.order.zero = mx::underflowed_scale::scale_decides;
  v.product = product;
  return v;
}

// x is an element of a tensor with amax 3.7 in a block with the scale s.
TEST_CASE("elements_are_divided_or_multiplied_by_one_reciprocal_after_the_other") {
  const auto divided =
      dividing(mx::multiplier_order::divisor_of_decode, mx::scaled_element::divided);
  const auto in_turn = dividing(mx::multiplier_order::reciprocal, mx::scaled_element::then_factor);
  const mx::nvfp4_tensor tensor = mx::tensor_of(divided, 3.7F);
  const float t = 3.7F / 2688.0F;
  REQUIRE(tensor.factor == t);
  int different = 0;
  for (std::uint32_t code = 0x08; code < 0x7F; ++code) {
    const float s = mx::scale_number(code);
    for (int k = 1; k < 64; ++k) {
      const float x = static_cast<float>(k) * 0.1F * s * t;
      const float a =
          mx::scaled_by(divided, x, mx::multiplier_of(divided.order, code, x, t), tensor);
      const float b =
          mx::scaled_by(in_turn, x, mx::multiplier_of(in_turn.order, code, x, t), tensor);
      REQUIRE(a == x / (s * t));
      REQUIRE(b == (x * (1.0F / s)) * (1.0F / t));
      different += a != b;
    }
  }
  CHECK(different > 100);
}

TEST_CASE("a_scale_of_zero_divides_to_zeros_with_their_signs_where_it_decides") {
  const auto v = dividing(mx::multiplier_order::divisor_of_decode, mx::scaled_element::divided);
  const float divisor = mx::multiplier_of(v.order, 0, 0x1p-30F, 1.0F);
  CHECK(divisor == infinity);
  CHECK(mx::bits_of(mx::scaled_by(v, -0x1p-30F, divisor, {1.0F, 1.0F})) == 0x80000000);
}

}  // namespace
