// SPDX-License-Identifier: Apache-2.0
// tests/unit/dot/bulk_gemm_matrix_test.cpp: products with scales that matrices of bfloat16 can
// hold, on every kernel, against mx::gemm_element.
#include "gemm_against_core.h"

namespace {

using mx::gemm_plan;
using mx::gemm_shape;
using tests::operand_kind;
using tests::plan_of;
using tests::product_case;

TEST_CASE("products_of_every_size_beside_whole_matrices_equal_the_core") {
  std::uint32_t seed = 900;
  for (const char* name : tests::fast_models) {
    for (const operand_kind kind : {operand_kind::near, operand_kind::spread}) {
      for (const gemm_shape& shape :
           {gemm_shape{16, 16, 32}, gemm_shape{17, 31, 96}, gemm_shape{33, 64, 544},
            gemm_shape{64, 33, 300}, gemm_shape{257, 5, 288}, gemm_shape{3, 259, 31}}) {
        INFO(name);
        tests::compare(plan_of(name), shape, kind, ++seed);
      }
    }
  }
}

TEST_CASE("every_c_equals_the_core_under_scales_that_are_close") {
  std::uint32_t seed = 950;
  for (const char* name : tests::fast_models) {
    for (const operand_kind kind : {operand_kind::near, operand_kind::spread}) {
      INFO(name << ", kind " << static_cast<int>(kind));
      product_case product(plan_of(name), {40, 36, 320}, kind, ++seed);
      std::mt19937 random(seed);
      for (const operand_kind of_c : {operand_kind::any, operand_kind::far}) {
        product.c = tests::draw_addends(of_c, product.c.size(), random);
        tests::compare_bytes(product);
      }
    }
  }
}

TEST_CASE("blocks_of_zeros_take_no_part_whatever_their_scale") {
  std::mt19937 random(970);
  for (const char* name : {"fp32.sequential", "blackwell.mxf4"}) {
    product_case product(plan_of(name), {35, 34, 256}, operand_kind::spread, 971);
    for (tests::byte_lines* lines : {&product.a, &product.b}) {
      for (std::size_t block = 0; block < lines->scales.size(); ++block) {
        if (random() % 3 != 0) continue;
        for (std::size_t k = 0; k < 32; ++k) {
          lines->codes[block * 32 + k] = static_cast<std::uint8_t>(random() % 2 * 8);
        }
        constexpr std::uint8_t scales[] = {0, 1, 127, 175, 176, 254};
        lines->scales[block] = scales[random() % 6];
      }
    }
    tests::compare_bytes(product);
  }
}

/// Groups whose products cancel, under scales that lie above all others, beside blocks of zeros.
TEST_CASE("sums_of_zero_count_where_products_are_not_and_zeros_do_not") {
  std::mt19937 random(975);
  product_case product(plan_of("blackwell.mxf4"), {34, 36, 256}, operand_kind::spread, 976);
  for (std::size_t block = 0; block < product.a.scales.size(); ++block) {
    if (random() % 2 == 0) continue;
    product.a.scales[block] = 127 + 20;
    for (std::size_t k = 0; k < 32; ++k) product.a.codes[block * 32 + k] = k % 2 == 0 ? 2 : 10;
  }
  for (std::size_t block = 0; block < product.b.scales.size(); ++block) {
    const bool zeros = random() % 2 == 0;
    if (zeros) product.b.scales[block] = 0;
    for (std::size_t k = 0; k < 32; ++k) product.b.codes[block * 32 + k] = zeros ? 0 : 3;
  }
  for (std::uint32_t& c : product.c) c = 0x3F800000 + (random() & 0x7FFFFF);
  tests::compare_bytes(product);
}

TEST_CASE("lines_whose_scales_lie_far_apart_stand_beside_lines_whose_do_not") {
  product_case product(plan_of("blackwell.mxf4"), {96, 70, 512}, operand_kind::near, 977);
  std::mt19937 random(978);
  const auto spread = [&](tests::byte_lines& lines, std::int64_t first, std::int64_t end) {
    const std::int64_t blocks = lines.k / 32;
    for (std::int64_t i = first * blocks; i < end * blocks; ++i) {
      lines.scales[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(110 + random() % 35);
    }
  };
  spread(product.a, 32, 64), spread(product.b, 33, 34);
  tests::compare_bytes(product);
}

TEST_CASE("sums_beyond_binary32_are_infinite_and_stay_so") {
  std::mt19937 random(980);
  for (const char* name : tests::fast_models) {
    const gemm_plan plan = plan_of(name);
    const bool powers = plan.model.scale == mx::formats::e8m0;
    product_case product(plan, {33, 32, 384}, operand_kind::near, 981);
    const auto largest = static_cast<std::uint8_t>(powers ? 127 + 48 : 0x7E);
    std::fill(product.a.scales.begin(), product.a.scales.end(), largest);
    std::fill(product.b.scales.begin(), product.b.scales.end(), largest);
    // Sums grow in one step and shrink in the next.
    std::fill(product.a.codes.begin(), product.a.codes.end(), std::uint8_t{7});
    for (std::size_t i = 0; i < product.b.codes.size(); ++i) {
      product.b.codes[i] = i / 64 % 2 == 0 ? 7 : 15;
    }
    for (std::uint32_t& c : product.c) {
      // As far above the products as these still matter, and the largest, from which sums leave the
      // range and would return.
      const std::uint32_t field = powers ? 254 : 127 + 30;
      c = (random() & 0x80000000) | (field - random() % 12) << 23 | (random() & 0x7FFFFF);
      if (random() % 2 == 0) c = (c & 0x80000000) | 0x7F7FFFFF;
    }
    tests::compare_bytes(product);
  }
}

TEST_CASE("parts_that_begin_within_a_block_of_matrices_equal_the_core") {
  std::uint32_t seed = 990;
  for (const int promote : {32, 96, 160}) {
    gemm_plan plan = plan_of("fp32.sequential");
    plan.promote = promote;
    plan.split_k = promote == 96 ? 3 : 1;
    tests::compare(plan, {34, 40, 500}, operand_kind::spread, ++seed);
    plan.model = mx::with_scales(plan.model, mx::formats::ue4m3, 16);
    plan.promote = promote / 2;
    tests::compare(plan, {34, 40, 500}, operand_kind::near, ++seed);
  }
}

}  // namespace
