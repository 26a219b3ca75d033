// SPDX-License-Identifier: Apache-2.0
// tests/unit/dot/mma_test.cpp: mx/dot/mma.h.
#include <random>
#include <vector>

#include "catch.h"
#include "mx/dot/mma.h"
#include "mx/dot/models.h"

namespace {

TEST_CASE("every_element_of_d_is_the_dot_product_of_a_row_and_a_column") {
  const mx::dot_model& model = mx::model_named("ampere.mma.f16.f32")->model;
  std::mt19937 random(6);
  const mx::mma_shape shape{5, 3, 24};
  std::vector<std::uint16_t> a(5 * 24), b(24 * 3);
  std::vector<std::uint32_t> c(5 * 3), d(5 * 4, 7);
  for (auto* codes : {&a, &b}) {
    for (std::uint16_t& x : *codes) x = static_cast<std::uint16_t>(0x3000 + random() % 0x1800);
  }
  for (std::uint32_t& x : c) x = 0x40000000 + random() % 0x1000000;
  mx::mma(model, shape, mx::by_lines(a.data(), 24), mx::by_columns(b.data(), 3),
          mx::mma_result<const std::uint32_t>{c.data(), 3},
          mx::mma_result<std::uint32_t>{d.data(), 4});
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      std::vector<std::uint16_t> column;
      for (std::size_t k = 0; k < 24; ++k) column.push_back(b[k * 3 + j]);
      CHECK(d[i * 4 + j] == mx::dot(model, &a[i * 24], column.data(), 24, c[i * 3 + j]));
    }
    CHECK(d[i * 4 + 3] == 7);  // nothing is written between the rows
  }
}

TEST_CASE("codes_of_a_line_are_adjacent_unless_said_otherwise") {
  const std::uint8_t codes[] = {1, 2, 3, 4, 5, 6, 7, 8};
  const mx::line_codes<std::uint8_t> lines{codes, 2};
  CHECK(lines.line(1)[0] == 3);
  CHECK(lines.line(1)[1] == 4);
}

TEST_CASE("scaled_operands_are_lines_along_k_with_scales_for_every_block") {
  const mx::dot_model& model = mx::model_named("blackwell.mxf4nvf4")->model;
  std::mt19937 random(7);
  const int k = 72;  // four blocks and a half
  std::vector<std::uint8_t> a(2 * 72), b(3 * 72), scale_a(2 * 5), scale_b(3 * 5);
  for (auto* codes : {&a, &b}) {
    for (std::uint8_t& x : *codes) x = static_cast<std::uint8_t>(random() % 16);
  }
  for (auto* scales : {&scale_a, &scale_b}) {
    for (std::uint8_t& x : *scales) x = static_cast<std::uint8_t>(0x20 + random() % 0x30);
  }
  std::vector<std::uint32_t> d(6, 0x3F800000);
  const mx::mma_result<std::uint32_t> in_place{d.data(), 3};
  mx::mma(model, {2, 3, k}, mx::by_lines(a.data(), k, scale_a.data(), 16),
          mx::by_lines(b.data(), k, scale_b.data(), 16), in_place, in_place);
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      CHECK(d[i * 3 + j] == mx::dot(model, &a[i * 72], &b[j * 72], k, 0x3F800000U, &scale_a[i * 5],
                                    &scale_b[j * 5]));
    }
  }
}

TEST_CASE("results_of_16_bits_are_stored_in_16_bits") {
  const mx::dot_model& model = mx::model_named("volta.mma.f16.f16")->model;
  const std::vector<std::uint16_t> a = {0x3C00, 0x4000}, b = {0x3C00, 0x3C00};  // 1 2; 1 1
  std::vector<std::uint16_t> d = {0x3C00};
  const mx::mma_result<std::uint16_t> result{d.data(), 1};
  mx::mma(model, {1, 1, 2}, mx::by_lines(a.data(), 2), mx::by_lines(b.data(), 2), result, result);
  CHECK(d[0] == 0x4400);
}

/// Element (1, 0) of {1 2; 3 4} * {5; 6} + {0; 1} in FP16.
constexpr float second_row_of_a_product() {
  const std::uint16_t a[] = {0x3C00, 0x4000, 0x4200, 0x4400}, b[] = {0x4500, 0x4600};
  const std::uint32_t c[] = {0, mx::bits_of(1.0F)};
  std::uint32_t d[2] = {};
  mx::mma(mx::dot_model{}, {2, 1, 2}, mx::by_lines(a, 2), mx::by_columns(b, 1),
          mx::mma_result<const std::uint32_t>{c, 1}, mx::mma_result<std::uint32_t>{d, 1});
  return mx::float_of(d[1]);
}

TEST_CASE("a_product_is_a_constant_expression") {
  STATIC_REQUIRE(second_row_of_a_product() == 40.0F);
}

}  // namespace
