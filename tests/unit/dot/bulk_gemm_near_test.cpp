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
      for (std::size_t i = 0; i < product.b.codes.size(); i += 1 + random() % 9) {
        product.a.codes[i % product.a.codes.size()] = 1;
        product.b.codes[i] = 1;
      }
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

/// Every fourth step has one product, of the smallest elements and scales; the others are large.
///   high  field of the exponent of their scales
void fill_steps(tests::byte_lines& lines, int high, std::uint8_t smallest) {
  for (std::size_t block = 0; block < lines.scales.size(); ++block) {
    const bool tiny = block / blocks_of_step % 4 == 3;
    std::uint8_t* codes = &lines.codes[block * 16];
    std::fill_n(codes, 16, tiny ? 0 : 7);
    if (tiny && block % blocks_of_step == 0) codes[0] = smallest;
    lines.scales[block] = tiny ? 1 : scale_code(high, 7);
  }
}

TEST_CASE("sums_grow_until_the_smallest_products_are_cut_off") {
  product_case product = product_of({5, 66, 6144});
  // The smallest scale is read at the exponent of the field 1.
  for (const int apart : {9, 10, 11, 12, 13, 15, 17}) {
    INFO("binades: " << apart);
    fill_steps(product.a, 1 + apart / 2, 1);
    fill_steps(product.b, 1 + apart - apart / 2, 9);
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
