// SPDX-License-Identifier: Apache-2.0
// tests/kernels/decompose/decompose_test.cpp: energies of every kernel against
// mx::decompose_tensor, bit for bit.
#include <cstring>
#include <string>
#include <vector>

#include "catch.h"
#include "decompose/choice.h"
#include "matrices.h"
#include "mx/block/names.h"
#include "mx/tensor/energy.h"
#include "tests/kernels/grid/host_launch.h"

using namespace mx;
using mx::kernels::adversarial_matrix;
using mx::kernels::matrix;

namespace {

/// Alignments at which pieces of 16 bytes may begin.
struct alignas(16) quad {
  std::uint32_t word[4];
};

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

/// Runs a request and compares both sums; returns the names of the kernels that ran.
///   data  the bytes of x at the address that the kernel reads
std::string kernels_that_agree(const quantization& how, const matrix& x, const void* data) {
  const std::int64_t count = kernels::shares_of(how.format, shape_of(x));
  const std::int64_t entries = kernels::share_entries_of(how.format, shape_of(x));
  std::vector<error_energy> shares(static_cast<std::size_t>(entries) + 1);
  error_energy sum;
  shares.back().blocks = 77;  // beyond the end
  const kernels_test::host_answer answer = kernels_test::decompose(
      {{how}, x.type, shape_of(x), data, &some_tensor_scale, shares.data(), &sum});
  REQUIRE(kernels::sentence_of(answer.status) == "launched");
  const error_energy expected = expected_of(how, x);
  CHECK(same_bits(sum, expected));
  CHECK(same_bits(kernels::sum_of(shares.data(), count), expected));
  CHECK(shares.back().blocks == 77);
  return answer.kernels;
}
std::string kernels_that_agree(const quantization& how, const matrix& x) {
  return kernels_that_agree(how, x, x.bytes.data());
}

/// A matrix of binary32 numbers, each from its place.
template <class Number>
matrix made_of(std::uint64_t rows, std::uint64_t columns, const Number& number) {
  matrix x{number_type::fp32, rows, columns, {}};
  x.bytes.resize(x.elements() * sizeof(float));
  for (std::uint64_t i = 0; i < x.elements(); ++i) {
    const float own = number(i);
    std::memcpy(&x.bytes[i * sizeof(float)], &own, sizeof(float));
  }
  return x;
}

/// Magnitudes in one binade below amax, where most elements are alternately clipped or dead.
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
  for (const auto& rule : scale_rule_table) {
    if (!is_power_of_two_rule(rule.value)) continue;
    const quantization how{block_formats::mxfp4, rule.value};
    for (const number_type type : types) {
      CAPTURE(int(type), rule.name);
      const matrix x = adversarial_matrix(type, 7, 1024, 3);
      CHECK(kernels_that_agree(how, x) == "plain, sum");
    }
    CHECK(kernels_that_agree(how, with_every_exponent(510)) == "plain, sum");
  }
}

TEST_CASE("shares_of_any_number_are_added_128_at_a_time") {
  for (const std::int64_t count : {1, 2, 3, 127, 128, 129, 300, 128 * 128, 128 * 128 + 1}) {
    CAPTURE(count);
    kernels::decompose_request r{.how = {{block_formats::mxfp4, scale_rule::floor}},
                                 .shape = {count, 2048}};
    REQUIRE(kernels::shares_of(block_formats::mxfp4, r.shape) == count);
    const std::int64_t entries = kernels::share_entries_of(block_formats::mxfp4, r.shape);
    std::vector<error_energy> shares(static_cast<std::size_t>(entries) + 1);
    std::uint32_t next = 0;
    for (error_energy& share : shares) {
      const philox_counter random = philox(17, {{next++, 0, 0, 0}});
      share.sums.total = random.word[0] * 0x1p-20 + random.word[1] * 0x1p-60;
      share.sums.x_quantized = random.word[2];
      share.dead = next;
    }
    const error_energy beyond = shares.back(), expected = kernels::sum_of(shares.data(), count);
    error_energy sum;
    r.shares = shares.data(), r.sum = &sum;
    kernels_test::add_shares(r);
    CHECK(same_bits(sum, expected));
    CHECK(same_bits(shares.back(), beyond));
  }
}

/// On a device the blocks of threads of a level run at once.
TEST_CASE("each_level_of_a_sum_writes_behind_all_that_it_reads") {
  const kernels::matrix_shape shape{128 * 128 + 1, 2048};
  std::vector<error_energy> entries(
      static_cast<std::size_t>(kernels::share_entries_of(block_formats::mxfp4, shape)));
  error_energy sum;
  const kernels::decompose_request r{.how = {{block_formats::mxfp4, scale_rule::floor}},
                                     .shape = shape,
                                     .shares = entries.data(),
                                     .sum = &sum};
  const error_energy* next = entries.data();
  int levels = 0;
  const auto launch = [&](const kernels::sum_arguments& level, std::int64_t blocks) {
    ++levels;
    CHECK(level.from == next);
    next = level.from + level.count;
    CHECK(level.out == (blocks == 1 ? &sum : next));
    return kernels::status{};
  };
  CHECK(each_level(r, launch).is_done());
  CHECK(levels == 3);
  CHECK(next == entries.data() + entries.size());
}

TEST_CASE("a_matrix_of_many_shares_has_the_energies_of_the_core") {
  const matrix x = adversarial_matrix(number_type::bf16, 131, 2048, 5);
  CHECK(kernels_that_agree({block_formats::mxfp4, scale_rule::rceil}, x) == "plain, sum");
}

TEST_CASE("rows_of_few_blocks_have_the_energies_of_the_core") {
  // A stage has 8 blocks, a warp 4 shares: each of the first two stages ends anywhere.
  for (std::uint64_t blocks = 1; blocks <= 17; ++blocks) {
    for (const number_type type : types) {
      CAPTURE(int(type), blocks);
      const matrix x = adversarial_matrix(type, 1, 32 * blocks, blocks);
      CHECK(kernels_that_agree({block_formats::mxfp4, scale_rule::floor}, x) == "plain, sum");
    }
  }
}

TEST_CASE("special_blocks_and_blocks_at_both_ends_of_the_range_leave_the_others_alone") {
  for (const float odd : {float_of(0x7F800001), -float_of(0x7F800000), 0x1p-110F, 0x1p110F, 0.F}) {
    for (std::uint64_t place = 0; place < 16; ++place) {
      const matrix x = made_of(1, 512, [odd, place](std::uint64_t i) {
        const float own = uniform_of(philox(31, {{std::uint32_t(i), 0, 0, 0}}).word[0]);
        return i / 32 != place ? own : i % 32 == 2 * place ? odd : own * 0x1p-120F;
      });
      CAPTURE(odd, place);
      CHECK(kernels_that_agree({block_formats::mxfp4, scale_rule::rceil}, x) == "plain, sum");
    }
  }
}

TEST_CASE("elements_on_ties_of_the_ideal_scale_have_the_energies_of_the_core") {
  static constexpr float twenty_fourths[] = {1, 3, 5, 7, 10, 14, 20, 24};
  for (int rule = 0; rule < 7; ++rule) {
    // amax is 24 units of one power of two: every element is a tie, or one beside it.
    const matrix x = made_of(64, 64, [](std::uint64_t i) {
      const philox_counter drawn = philox(41, {{std::uint32_t(i), 0, 0, 0}});
      const float own = i % 32 == 0 ? 24 : twenty_fourths[drawn.word[0] % 8];
      return float_of(bits_of(own) + drawn.word[1] % 3 - (i % 32 == 0 ? drawn.word[1] % 3 : 1));
    });
    CHECK(kernels_that_agree({block_formats::mxfp4, scale_rule(rule)}, x) == "plain, sum");
  }
}

TEST_CASE("a_matrix_that_begins_within_a_piece_has_the_energies_of_the_core") {
  const matrix x = adversarial_matrix(number_type::fp32, 3, 64, 8);
  std::vector<quad> moved(x.bytes.size() / sizeof(quad) + 1);
  auto* begin = reinterpret_cast<std::uint8_t*>(moved.data()) + sizeof(float);
  std::memcpy(begin, x.bytes.data(), x.bytes.size());
  CHECK(kernels_that_agree({block_formats::mxfp4, scale_rule::floor}, x, begin) == "core, sum");
}

TEST_CASE("only_rules_whose_scales_hold_amax_never_clip") {
  for (const auto& [rule, name, sentence] : scale_rule_table) {
    if (!is_power_of_two_rule(rule)) continue;
    bool clips = false;
    for (std::uint32_t bits = 0x3F800000; bits < 0x40000000; bits += 0x3FF) {
      const float amax = float_of(bits);
      const int exponent = shared_scale(formats::e2m1, rule, unpack(amax)).exponent();
      const auto scale = static_cast<float>(power_of_two(exponent));
      clips = clips || amax > 6 * scale;
      CHECK(amax < 12 * scale);
    }
    CAPTURE(name);
    CHECK((kernels::clipping_of(kernels::scale_step_of(rule)) == kernels::clipping::possible) ==
          clips);
  }
}

TEST_CASE("several_shares_and_a_part_of_one_have_the_energies_of_the_core") {
  const matrix x = adversarial_matrix(number_type::bf16, 11, 1024, 2);  // 5 shares and 32 blocks
  CHECK(kernels::shares_of(block_formats::mxfp4, shape_of(x)) == 6);
  CHECK(kernels_that_agree({block_formats::mxfp4, scale_rule::floor}, x) == "plain, sum");
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
