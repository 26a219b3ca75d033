// SPDX-License-Identifier: Apache-2.0
// tests/kernels/decompose_test.cpp: energies of every kernel against mx::decompose_tensor, bit for bit.
#include <cstring>
#include <string>
#include <vector>

#include "catch.h"
#include "host_launch.h"
#include "matrices.h"
#include "mx/bulk_energy.h"

using namespace mx;
using mx::kernels::adversarial_matrix;
using mx::kernels::matrix;

namespace {

constexpr number_type types[] = {number_type::fp32, number_type::fp16, number_type::bf16};
constexpr float some_tensor_scale = 0.0123F;

kernels::matrix_shape shape_of(const matrix& x) {
  return {static_cast<std::int64_t>(x.rows), static_cast<std::int64_t>(x.columns)};
}

error_energy expected_of(const quantization& how, const matrix& x) {
  return decompose_tensor(how, x.type, x.bytes.data(), {1, x.rows, x.columns, 1},
                          &some_tensor_scale);
}

bool same_bits(const error_energy& a, const error_energy& b) {
  return std::memcmp(&a, &b, sizeof(a)) == 0;
}

/// Runs a request and compares what both sums have; the names of the kernels that ran.
std::string kernels_that_agree(const quantization& how, const matrix& x) {
  const std::int64_t count = kernels::shares_of(how.format, shape_of(x));
  std::vector<error_energy> shares(static_cast<std::size_t>(count) + 1);
  error_energy sum;
  shares.back().blocks = 77;  // beyond the end
  const kernels_test::host_answer answer = kernels_test::decompose(
      {how, x.type, shape_of(x), x.bytes.data(), &some_tensor_scale, shares.data(), &sum});
  REQUIRE(kernels::sentence_of(answer.status) == "launched");
  const error_energy expected = expected_of(how, x);
  CHECK(same_bits(sum, expected));
  CHECK(same_bits(kernels::sum_of(shares.data(), count), expected));
  CHECK(shares.back().blocks == 77);
  return answer.kernels;
}

/// Magnitudes in one binade below amax, where most elements are clipped or dead by turns.
matrix with_every_exponent(std::uint64_t rows) {
  matrix x = adversarial_matrix(number_type::fp32, rows, 32, 21);
  auto* values = reinterpret_cast<float*>(x.bytes.data());
  for (std::uint64_t i = 0; i < x.elements(); ++i) {
    const auto field = static_cast<std::uint32_t>(i / 32 % 255);
    const std::uint32_t word = philox(9, {{std::uint32_t(i), 0, 0, 0}}).word[0];
    const std::uint32_t below = word >> 28 & 7;
    const std::uint32_t own = field > below ? field - below : 0;
    values[i] = float_of((word & 0x80000000) | own << 23 | (word & 0x7FFFFF));
  }
  return x;
}

}  // namespace

TEST_CASE("mxfp4_rows_have_the_energies_of_the_core_under_every_power_of_two_rule") {
  for (int rule = 0; rule < 7; ++rule) {
    for (const number_type type : types) {
      CAPTURE(int(type), rule);
      const quantization how{block_formats::mxfp4, static_cast<scale_rule>(rule)};
      const matrix x = adversarial_matrix(type, 7, 1024, rule);
      CHECK(kernels_that_agree(how, x) == "plain, sum");
    }
    const quantization how{block_formats::mxfp4, static_cast<scale_rule>(rule)};
    CHECK(kernels_that_agree(how, with_every_exponent(510)) == "plain, sum");
  }
}

TEST_CASE("several_shares_and_a_part_of_one_are_added_in_their_order") {
  const matrix x = adversarial_matrix(number_type::bf16, 321, 1024, 2);  // 5 shares and 32 blocks
  CHECK(kernels::shares_of(block_formats::mxfp4, shape_of(x)) == 6);
  CHECK(kernels_that_agree({block_formats::mxfp4, scale_rule::floor}, x) == "plain, sum");
}

TEST_CASE("more_shares_than_one_fetch_are_added_in_their_order") {
  // 128 are fetched at once.
  const matrix x = adversarial_matrix(number_type::bf16, 2080, 4096, 4);
  CHECK(kernels::shares_of(block_formats::mxfp4, shape_of(x)) == 130);
  CHECK(kernels_that_agree({block_formats::mxfp4, scale_rule::rceil}, x) == "plain, sum");
}

TEST_CASE("other_formats_rules_and_shapes_have_the_energies_of_the_core") {
  const std::vector<quantization> all{
      {block_formats::mxfp4, scale_rule::rceil},
      {block_formats::mxfp4, scale_rule::mse},
      {block_formats::mxfp4, scale_rule::floor, rounding::stochastic, {7, 8}},
      {block_formats::mxfp6_e2m3, scale_rule::floor},
      {block_formats::mxfp8_e5m2, scale_rule::rceil},
      {block_formats::mxint8, scale_rule::rceil},
      {block_formats::nvfp4, scale_rule::ideal},
      {block_formats::nvfp4, scale_rule::four_over_six_mse},
      {block_formats::fp8_1x128, scale_rule::ideal},
  };
  for (std::size_t i = 0; i < all.size(); ++i) {
    CAPTURE(i);
    CHECK(kernels_that_agree(all[i], adversarial_matrix(types[i % 3], 9, 333, i)) == "core, sum");
  }
  const matrix many = adversarial_matrix(number_type::fp32, 70, 1000, 5);
  CHECK(kernels_that_agree({block_formats::nvfp4, scale_rule::ideal}, many) == "core, sum");
}

TEST_CASE("an_empty_matrix_has_no_energy") {
  error_energy sum;
  sum.blocks = 5;
  const kernels_test::host_answer answer =
      kernels_test::decompose({{}, number_type::fp32, {0, 32}, nullptr, nullptr, nullptr, &sum});
  CHECK(answer.kernels == "sum");
  CHECK(same_bits(sum, error_energy{}));
}
