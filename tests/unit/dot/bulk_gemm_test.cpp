// SPDX-License-Identifier: Apache-2.0
// tests/unit/dot/bulk_gemm_test.cpp: mx/dot/bulk_gemm.h. Whole products against mx::gemm_element,
// bit for bit, on every instruction set and way to add products of bytes.
#include "mx/dot/bulk_gemm.h"

#include <algorithm>
#include <random>
#include <stdexcept>

#include "catch.h"
#include "gemm_against_core.h"

namespace {

using mx::gemm_plan;
using mx::gemm_shape;
using tests::compare;
using tests::compare_bytes;
using tests::fast_models;
using tests::operand_kind;
using tests::plan_of;
using tests::product_case;
using tests::words;

TEST_CASE("products_with_kernels_equal_the_core_at_every_edge_of_their_tiles") {
  std::uint32_t seed = 0;
  for (const char* name : fast_models) {
    INFO(name);
    for (const operand_kind kind : tests::operand_kinds) {
      for (const gemm_shape& shape :
           {gemm_shape{1, 1, 1}, gemm_shape{7, 70, 256}, gemm_shape{5, 130, 33},
            gemm_shape{3, 17, 1100}, gemm_shape{2, 65, 512}, gemm_shape{193, 3, 64}}) {
        compare(plan_of(name), shape, kind, ++seed);
      }
    }
  }
}

TEST_CASE("blocks_of_16_and_scales_with_fractions_have_kernels_too") {
  std::uint32_t seed = 100;
  for (const operand_kind kind : tests::operand_kinds) {
    gemm_plan plan = plan_of("fp32.sequential");
    plan.model = mx::with_scales(plan.model, mx::formats::ue4m3, 16);
    compare(plan, {4, 66, 150}, kind, ++seed);
    plan.model = mx::with_scales(plan.model, mx::formats::e8m0, 16);
    compare(plan, {4, 66, 150}, kind, ++seed);
    plan = plan_of("blackwell.mxf4");
    plan.model = mx::with_scales(plan.model, mx::formats::e8m0, 16);
    compare(plan, {4, 66, 150}, kind, ++seed);
  }
}

TEST_CASE("alignments_that_cut_off_a_few_bits_or_none_equal_the_core") {
  for (const char* name : {"blackwell.mxf4", "blackwell.mxf4nvf4"}) {
    const gemm_plan plan = plan_of(name);
    const bool powers = plan.model.scale == mx::formats::e8m0;
    product_case product(plan, {48, 48, 64}, operand_kind::near, 600);
    std::mt19937 random(601);
    for (int apart = powers ? 29 : 20; apart <= (powers ? 39 : 29); ++apart) {
      INFO(name << ", exponents of scales " << apart << " apart");
      const auto blocks = static_cast<std::size_t>(64 / plan.model.block);
      for (std::size_t i = 0; i < product.a.scales.size(); ++i) {
        // The first block lies above the others. UE4M3's fields lie above three bits of fraction.
        const bool high = i % blocks == 0;
        const auto draw = [&](int below) {
          const int field = (powers ? 135 : 15) - (high ? 0 : below);
          return static_cast<std::uint8_t>(powers ? field : std::max(field, 0) << 3 | random() % 7);
        };
        product.a.scales[i] = draw(apart / 2);
        product.b.scales[i] = draw(apart - apart / 2);
      }
      for (const bool far_above : {false, true}) {
        for (std::uint32_t& c : product.c) {
          // Around the limits: 12 below the first block, 33 (27) above the others.
          const int highest = 16;
          const int exponent =
              far_above ? highest - apart + (powers ? 33 : 27) + 3 : highest - 12 + 2;
          const auto field =
              static_cast<std::uint32_t>(127 + exponent - static_cast<int>(random() % 7));
          c = random() % 4 == 0 ? 0 : (random() & 0x807FFFFF) | field << 23;
        }
        compare_bytes(product);
      }
    }
  }
}

TEST_CASE("scales_that_fall_within_a_step_or_along_k_equal_the_core") {
  const gemm_plan plan = plan_of("blackwell.mxf4");
  const gemm_shape shape{24, 64, 512};
  product_case product(plan, shape, operand_kind::near, 800);
  constexpr std::size_t blocks = 16;
  for (const bool within_step : {true, false}) {
    for (int fall = 1; fall <= 18; ++fall) {
      INFO((within_step ? "within steps " : "along k ") << fall);
      const auto scale = [&](std::size_t i) {
        const bool low = within_step ? i % 2 != 0 : i % blocks >= blocks / 2;
        return static_cast<std::uint8_t>(127 - (low ? fall : 0));
      };
      for (std::size_t i = 0; i < product.a.scales.size(); ++i) product.a.scales[i] = scale(i);
      for (std::size_t i = 0; i < product.b.scales.size(); ++i) product.b.scales[i] = scale(i);
      compare_bytes(product);
    }
  }
}

TEST_CASE("a_sum_of_negative_zeros_stays_negative_where_zeros_have_signs_and_no_other") {
  for (const char* name : fast_models) {
    product_case product(plan_of(name), {6, 20, 64}, operand_kind::near, 700);
    std::fill(product.a.codes.begin(), product.a.codes.end(), std::uint8_t{8});
    std::fill(product.b.codes.begin(), product.b.codes.end(), std::uint8_t{0});
    std::fill(product.b.codes.begin(), product.b.codes.begin() + 64, std::uint8_t{8});
    std::fill(product.c.begin(), product.c.end(), 0x80000000);
    CHECK(product.by_core()[0] == 0);  // -0 + (-0 * -0)
    const bool has_signs = product.plan.model.sum.zero_result == mx::zero_result::of_terms;
    CHECK(product.by_core()[1] == (has_signs ? 0x80000000 : 0));  // -0 + (-0 * +0)
    compare_bytes(product);
  }
}

TEST_CASE("every_model_of_bytes_is_multiplied") {
  std::uint32_t seed = 200;
  for (const mx::named_model& entry : mx::model_table) {
    if (entry.model.a.width() > 8 || entry.model.b.width() > 8) continue;
    INFO(entry.name);
    compare({.model = entry.model}, {2, 3, 70}, operand_kind::any, ++seed);
  }
}

TEST_CASE("empty_products_and_wrong_ones") {
  const gemm_plan plan = plan_of("blackwell.mxf4");
  const words c{0x3F800000, 0x80000000};
  words d(2);
  mx::gemm(plan, {1, 2, 0}, {}, {}, c.data(), d.data());
  CHECK(d == c);
  mx::gemm(plan, {0, 2, 64}, {}, {}, nullptr, nullptr);
  CHECK_THROWS_AS(mx::gemm(plan, {1, 1, 64}, {}, {}, nullptr, d.data()), std::invalid_argument);
  CHECK_THROWS_AS(mx::gemm(plan, {-1, 1, 64}, {}, {}, nullptr, d.data()), std::invalid_argument);
  CHECK_THROWS_AS(mx::use_dot_instruction("VPDPBUSD"), std::invalid_argument);
  gemm_plan split = plan;
  split.split_k = 0;
  CHECK_THROWS_AS(mx::gemm(split, {1, 1, 0}, {}, {}, nullptr, d.data()), std::invalid_argument);
}

}  // namespace
