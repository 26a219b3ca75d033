// SPDX-License-Identifier: Apache-2.0
// tests/unit/dot/bulk_gemm_near_test.cpp: products under `blackwell.mxf4nvf4` at the limits of what
// kernels add as integers, on every kernel, against mx::gemm_element.
#include "gemm_against_core.h"

namespace {

using tests::operand_kind;
using tests::product_case;

constexpr int blocks_of_step = 4;

product_case product_of(mx::gemm_shape shape) {
  return {tests::plan_of("blackwell.mxf4nvf4"), shape, operand_kind::near, 1};
}

/// UE4M3
///   field  of the exponent, 1 to 14
std::uint8_t scale_code(int field, unsigned eighths) {
  return static_cast<std::uint8_t>(static_cast<unsigned>(field) << 3 | eighths % 8);
}

/// Elements of the largest magnitude; `minus` of 8 are negative.
void fill_with_largest(tests::byte_lines& lines, unsigned minus, std::mt19937& random) {
  for (std::uint8_t& code : lines.codes) code = random() % 8 < minus ? 0xF : 0x7;
}

TEST_CASE("the_scales_of_a_step_lie_up_to_nine_binades_apart") {
  std::mt19937 random(1);
  product_case product = product_of({13, 70, 320});
  for (int apart = 0; apart <= 9; ++apart) {
    INFO("binades: " << apart);
    for (const unsigned minus : {0U, 4U, 8U}) {
      fill_with_largest(product.a, minus, random);
      fill_with_largest(product.b, 0, random);
      for (auto* lines : {&product.a, &product.b}) {
        const int below = lines == &product.a ? apart / 2 : apart - apart / 2;
        for (std::uint8_t& scale : lines->scales) {
          const auto word = static_cast<unsigned>(random());
          scale = scale_code(14 - (word % 2 != 0 ? below : 0), word % 4 < 3 ? 7 : word >> 8);
        }
      }
      tests::compare_bytes(product);
    }
  }
}

/// Scales of the steps of a line, alike in each of them: the largest one, or one further below.
void fill_steps(tests::byte_lines& lines, int below, std::mt19937& random) {
  for (std::size_t i = 0; i < lines.scales.size(); i += blocks_of_step) {
    const int field = random() % 16 == 0 ? 14 - below : 14;
    for (std::size_t b = i; b < std::min(i + blocks_of_step, lines.scales.size()); ++b) {
      lines.scales[b] = scale_code(field, static_cast<unsigned>(random()) | 1);
    }
  }
}

TEST_CASE("sums_grow_until_the_smallest_scales_are_cut_off") {
  std::mt19937 random(2);
  product_case product = product_of({5, 66, 2048});
  for (const int apart : {10, 11, 12, 16, 20}) {
    INFO("binades: " << apart);
    fill_with_largest(product.a, 0, random);
    fill_with_largest(product.b, 1, random);
    for (std::uint8_t& code : product.a.codes) {
      if (random() % 4 == 0) code = 1;
    }
    fill_steps(product.a, apart / 2, random);
    fill_steps(product.b, apart - apart / 2, random);
    tests::compare_bytes(product);
  }
}

TEST_CASE("zeros_blocks_of_them_and_subnormal_scales_among_integers") {
  std::mt19937 random(3);
  product_case product = product_of({9, 67, 640});
  for (int round = 0; round < 4; ++round) {
    for (auto* lines : {&product.a, &product.b}) {
      for (std::size_t i = 0; i < lines->codes.size(); ++i) {
        const auto word = static_cast<unsigned>(random());
        lines->codes[i] = static_cast<std::uint8_t>(i / 16 % 5 == 0 ? word % 2 * 8 : word % 16);
      }
      for (std::uint8_t& scale : lines->scales) {
        const auto word = static_cast<unsigned>(random());
        scale = word % 8 == 0 ? 0 : scale_code(static_cast<int>(word >> 8) % 3, word >> 16);
      }
    }
    tests::compare_bytes(product);
  }
}

}  // namespace
