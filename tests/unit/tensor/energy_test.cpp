// SPDX-License-Identifier: Apache-2.0
// tests/unit/tensor/energy_test.cpp: mx/tensor/energy.h. Whole tensors against the core, bit for
// bit, on every instruction set of this machine and any number of threads.
#include "mx/tensor/energy.h"

#include <tbb/global_control.h>

#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "blocked_tensor_by_core.h"
#include "catch.h"
#include "instruction_sets.h"
#include "mx/block/energy.h"
#include "mx/block/names.h"
#include "mx/tensor/bulk.h"

namespace {

using mx::block_format;
using mx::blocked_shape;
using mx::error_energy;
using mx::number_type;
using mx::quantization;
using mx::rounding;
using mx::scale_rule;
using bytes = std::vector<std::uint8_t>;

/// The definition: block by block, share by share.
error_energy energy_by_core(const quantization& q, number_type type, const bytes& x,
                            const blocked_shape& s, const std::vector<float>& tensor_scales) {
  const auto size = static_cast<std::uint64_t>(q.format.size());
  std::vector<float> block(size);
  bytes codes(size);
  std::vector<error_energy> shares;
  mx::energy_share share(q.format.element);
  std::int64_t elements = 0;
  mx::unpacked tensor;
  const auto add = [&](std::uint64_t number, std::uint64_t k, const tests::element_place& p) {
    if (k == 0) {
      elements = 0;
      tensor = tests::tensor_scale(q.format, p, s, tensor_scales);
    }
    const bool inside = tests::is_inside(p, s);
    elements += inside ? 1 : 0;
    block[k] = inside ? tests::value_at(type, x, tests::index_of(p, s)) : 0.0F;
    if (k + 1 != size) return;
    share.add(q, block.data(), elements, tensor, number, codes.data());
    if (share.counts.blocks < mx::blocks_a_share(q.format.size())) return;
    shares.push_back(share.finished());
    share = mx::energy_share(q.format.element);
  };
  tests::for_each_place(q.format, s, add);
  shares.push_back(share.finished());
  return mx::sum_of_shares(shares.data(), static_cast<std::int64_t>(shares.size()));
}

/// Blocks of 16 of every kind: near each other or far apart, few bits (so that ties occur),
/// subnormal, huge, zeros, now and then a NaN or an Inf.
std::uint32_t hard_bits(std::uint64_t index, std::mt19937& random) {
  const auto word = static_cast<std::uint32_t>(random());
  const std::uint64_t run = index / 16;
  const std::uint32_t spread = run % 5 == 0 ? 1 : (run % 5 == 1 ? 3 : (run % 5 == 2 ? 9 : 40));
  std::uint32_t field = 120 + static_cast<std::uint32_t>(run % 16) + word % spread;
  if (run % 41 == 7) field = 255 - word % 20;
  if (run % 41 == 9) field = word % 30;
  if (run % 41 == 11 || word % 97 == 0) return word & 0x80000000;
  if (field == 255 && word % 8 != 0) field = 254;
  const std::uint32_t kept = run % 3 == 0 ? 0x700000 : (run % 3 == 1 ? 0x7F0000 : 0x7FFFFF);
  return (static_cast<std::uint32_t>(random()) & (0x80000000 | kept)) | field << 23;
}

bytes hard_tensor(number_type type, std::uint64_t count, unsigned seed) {
  std::mt19937 random(seed);
  bytes x(count * mx::bytes_of(type));
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint32_t bits = hard_bits(i, random);
    if (type == number_type::fp32) std::memcpy(&x[4 * i], &bits, 4);
    const auto half = static_cast<std::uint16_t>(
        type == number_type::bf16 ? bits >> 16 : (bits >> 16 & 0x8000) | (bits >> 9 & 0x3FFF));
    if (type != number_type::fp32) std::memcpy(&x[2 * i], &half, 2);
  }
  return x;
}

void check(const quantization& q, number_type type, const blocked_shape& s, unsigned seed = 1) {
  INFO("rule " << static_cast<int>(q.rule) << ", columns " << q.format.columns << ", length "
               << s.length << ", inner " << s.inner);
  const bytes x = hard_tensor(type, s.elements(), seed);
  std::vector<float> scales(mx::sizes_of(q.format, s, mx::code_packing::unpacked).tensor_scales);
  mx::choose_tensor_scales(q.format, type, x.data(), s, scales.data());
  const error_energy expected = energy_by_core(q, type, x, s, scales);
  CHECK(expected.identity_violations == 0);
  bytes moved(x.size() + 1);
  if (!x.empty()) std::memcpy(&moved[1], x.data(), x.size());
  test::on_all_instruction_sets([&] {
    CHECK(mx::decompose_tensor(q, type, x.data(), s, scales.data()) == expected);
    CHECK(mx::decompose_tensor(q, type, moved.data() + 1, s, scales.data()) == expected);
  });
}

constexpr mx::format elements_of_every_kind[] = {
    mx::formats::e2m1, mx::formats::e2m3, mx::formats::e3m2,     mx::formats::e4m3,
    mx::formats::e5m2, mx::formats::int8, mx::formats::e4m3fnuz, mx::formats::e5m2fnuz,
    {6, 1, 31},        {3, 0, 3}};

block_format mxfp4_of(int columns) { return {mx::formats::e2m1, mx::formats::e8m0, 1, columns}; }

}  // namespace

TEST_CASE("every_rule_on_mxfp4_equals_the_core") {
  for (const auto& rule : mx::scale_rule_table) {
    const quantization q{mx::block_formats::mxfp4, rule.value};
    if (mx::refusal_of(q) != mx::refusal::none) continue;
    check(q, number_type::fp32, {.rows = 3, .length = 3200});
  }
}

TEST_CASE("clipping_scales_equal_the_core") {
  // Some blocks clip under these rules; under rceil none does.
  const blocked_shape shape{.length = 65536};
  const bytes x = hard_tensor(number_type::fp32, shape.length, 2);
  const auto energy = [&](scale_rule rule) {
    return mx::decompose_tensor({mx::block_formats::mxfp4, rule}, number_type::fp32, x.data(),
                                shape)
        .sums;
  };
  CHECK(energy(scale_rule::floor).clip > 0);
  CHECK(energy(scale_rule::floor).grid_clip != 0);
  CHECK(energy(scale_rule::floor).scale_deadzone != 0);
  CHECK(energy(scale_rule::floor6).clip > 0);
  CHECK(energy(scale_rule::rceil).clip == 0);
  for (const scale_rule rule : {scale_rule::floor, scale_rule::floor6, scale_rule::midmax}) {
    check({mx::block_formats::mxfp4, rule}, number_type::fp32, shape, 2);
  }
}

TEST_CASE("elements_at_and_beside_the_ties_of_q_star_equal_the_core") {
  constexpr int quarters[] = {1, 3, 5, 7, 10, 14, 20};
  std::mt19937 random(5);
  const blocked_shape shape{.length = 32 * 6000};
  bytes x(shape.length * 4);
  for (std::uint64_t i = 0; i < shape.length; ++i) {
    const std::uint64_t block = i / 32;
    std::mt19937 of_block(static_cast<unsigned>(block));
    const auto word = static_cast<std::uint32_t>(of_block());
    const std::uint32_t lowest = block % 2 == 0 ? 2 : 120;
    const std::uint32_t kept = block % 3 == 0 ? 0x400000 : 0x7FFFFF;
    const float amax = mx::float_of((lowest + word % 9) << 23 | (word >> 8 & kept));
    const double tie = double{amax} * quarters[random() % 7] / 24;
    const std::uint32_t near = mx::bits_of(static_cast<float>(tie)) - 1 + random() % 3;
    const std::uint32_t bits = i % 32 == 0 ? mx::bits_of(amax) : near;
    std::memcpy(&x[4 * i], &bits, 4);
  }
  const quantization q{mx::block_formats::mxfp4, scale_rule::rceil};
  const error_energy expected = energy_by_core(q, number_type::fp32, x, shape, {});
  test::on_all_instruction_sets(
      [&] { CHECK(mx::decompose_tensor(q, number_type::fp32, x.data(), shape) == expected); });
}

TEST_CASE("every_block_size_along_the_axis_equals_the_core") {
  for (const int columns : {1, 5, 16, 32, 48, 64, 1024, 1040, 4096}) {
    check({mxfp4_of(columns), scale_rule::rceil}, number_type::fp32, {.rows = 2, .length = 5000});
  }
}

TEST_CASE("ragged_and_inner_axes_and_narrow_numbers_equal_the_core") {
  const quantization q{mx::block_formats::mxfp4, scale_rule::floor};
  for (const number_type type : {number_type::fp32, number_type::fp16, number_type::bf16}) {
    check(q, type, {.rows = 4, .length = 71});
    check(q, type, {.outer = 2, .length = 70, .inner = 19});
    check(q, type, {.length = 1});
    check(q, type, {.length = 0});
    check(q, type, {.outer = 0, .length = 32});
  }
}

TEST_CASE("other_formats_equal_the_core") {
  const blocked_shape shape{.rows = 33, .length = 300};
  for (const block_format& f : {mx::block_formats::nvfp4, mx::block_formats::nvfp4_2d,
                                mx::block_formats::fp8_1x128, mx::block_formats::fp8_128x128}) {
    check({f, scale_rule::ideal}, number_type::fp32, shape);
  }
  for (const block_format& f : {mx::block_formats::mxfp6_e2m3, mx::block_formats::mxfp8_e4m3,
                                mx::block_formats::mxfp8_e5m2, mx::block_formats::mxint8}) {
    check({f, scale_rule::floor}, number_type::bf16, shape);
  }
  block_format exact = mx::block_formats::mxfp4;
  exact.precision = mx::scale_precision::exact;
  check({exact, scale_rule::ideal}, number_type::fp32, shape);
  check({mx::block_formats::mxfp4, scale_rule::rceil, rounding::stochastic, {5, 8}},
        number_type::fp32, shape);
  block_format by_row = mx::block_formats::nvfp4;
  by_row.tensor = mx::tensor_scaling::per_row;
  check({by_row, scale_rule::four_over_six_mse}, number_type::fp32, shape);
}

TEST_CASE("blocks_that_fill_no_vectors_equal_the_core_where_scales_are_near_the_smallest") {
  for (const int columns : {1, 8, 24}) {
    const quantization q{{mx::formats::e4m3, mx::formats::binary32, 1, columns}, scale_rule::ideal};
    const blocked_shape shape{.rows = 64, .length = static_cast<std::uint64_t>(columns)};
    for (int exponent = -126; exponent <= -112; ++exponent) {
      INFO("columns " << columns << ", exponent " << exponent);
      bytes x(shape.elements() * sizeof(float));
      for (std::uint64_t i = 0; i < shape.elements(); ++i) {
        const float number = std::ldexp(1 + static_cast<float>(i % 5) / 8, exponent);
        std::memcpy(&x[i * sizeof(float)], &number, sizeof number);
      }
      const error_energy expected = energy_by_core(q, number_type::fp32, x, shape, {});
      test::on_all_instruction_sets(
          [&] { CHECK(mx::decompose_tensor(q, number_type::fp32, x.data(), shape) == expected); });
    }
  }
}

TEST_CASE("every_element_format_and_rounding_equals_the_core") {
  const blocked_shape shape{.rows = 5, .length = 300};
  for (const mx::format& element : elements_of_every_kind) {
    for (const rounding how : {rounding::ties_to_even, rounding::ties_away, rounding::toward_zero,
                               rounding::stochastic}) {
      check({{element, mx::formats::e8m0, 1, 32}, scale_rule::floor, how, {3, 6}},
            number_type::fp32, shape);
      check({{element, mx::formats::ue4m3, 1, 16}, scale_rule::ideal, how, {3, 6}},
            number_type::fp32, shape);
    }
  }
}

TEST_CASE("every_rule_on_nvfp4_equals_the_core") {
  for (const auto& rule : mx::scale_rule_table) {
    const quantization q{mx::block_formats::nvfp4, rule.value};
    if (mx::refusal_of(q) != mx::refusal::none) continue;
    check(q, number_type::fp32, {.rows = 3, .length = 800});
  }
}

TEST_CASE("elements_at_and_beside_the_ties_of_q_star_equal_the_core_in_every_format") {
  std::mt19937 random(6);
  const blocked_shape shape{.length = 32 * 400};
  bytes x(shape.length * 4);
  for (const mx::format& element : elements_of_every_kind) {
    const auto value = [&](std::uint32_t code) {
      return mx::exact_binary64(mx::decode(element, code));
    };
    for (std::uint64_t i = 0; i < shape.length; ++i) {
      std::mt19937 of_block(static_cast<unsigned>(i / 32));
      const auto word = static_cast<std::uint32_t>(of_block());
      const float amax = mx::float_of((100 + word % 9) << 23 | (word >> 8 & 0x7FFFFF));
      const auto code = static_cast<std::uint32_t>(random() % element.max_code());
      const double tie = (value(code) + value(code + 1)) / 2 * amax / value(element.max_code());
      const std::uint32_t near = mx::bits_of(static_cast<float>(tie)) - 1 + random() % 3;
      const std::uint32_t bits = i % 32 == 0 ? mx::bits_of(amax) : near;
      std::memcpy(&x[4 * i], &bits, 4);
    }
    const quantization q{
        {element, mx::formats::e8m0, 1, 32}, scale_rule::rceil, rounding::ties_away};
    const error_energy expected = energy_by_core(q, number_type::fp32, x, shape, {});
    test::on_all_instruction_sets(
        [&] { CHECK(mx::decompose_tensor(q, number_type::fp32, x.data(), shape) == expected); });
  }
}

TEST_CASE("tensor_scales_of_every_kind_equal_the_core") {
  const blocked_shape shape{.rows = 12, .length = 256};
  const bytes x = hard_tensor(number_type::fp32, shape.elements(), 7);
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> scales{1,         0x1p-9F, 0x1.8p-9F, -0x1p-9F, 0,    -0.0F,
                                  0x1p-149F, 0x1p99F, -infinity, infinity, -1e9, std::nanf("")};
  block_format f = mx::block_formats::nvfp4;
  const auto both_equal = [&](const std::vector<float>& given) {
    const quantization q{f, scale_rule::ideal};
    const error_energy expected = energy_by_core(q, number_type::fp32, x, shape, given);
    test::on_all_instruction_sets([&] {
      CHECK(mx::decompose_tensor(q, number_type::fp32, x.data(), shape, given.data()) == expected);
    });
  };
  for (const float scale : scales) both_equal({scale});
  f.tensor = mx::tensor_scaling::per_row;
  both_equal(scales);
}

TEST_CASE("threads_change_no_bit") {
  const blocked_shape shape{.rows = 10, .length = 8192 + 32};
  const bytes x = hard_tensor(number_type::fp32, shape.elements(), 3);
  const quantization q{mx::block_formats::mxfp4, scale_rule::floor};
  const auto run = [&](std::size_t threads) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    return mx::decompose_tensor(q, number_type::fp32, x.data(), shape);
  };
  const error_energy expected = energy_by_core(q, number_type::fp32, x, shape, {});
  CHECK(run(1) == expected);
  CHECK(expected.special_blocks > 0);
  for (const std::size_t threads : {2U, 3U, 8U}) CHECK(run(threads) == expected);
}

TEST_CASE("all_blocks_are_told_and_a_failure_reaches_the_caller") {
  const blocked_shape shape{.length = 1 << 18};
  const bytes x = hard_tensor(number_type::fp32, shape.length, 4);
  const quantization q;
  std::atomic<std::uint64_t> reported{0};
  const auto energy = mx::decompose_tensor(q, number_type::fp32, x.data(), shape, nullptr,
                                           [&](std::uint64_t blocks) { reported += blocks; });
  CHECK(reported == (1 << 13));
  CHECK(energy.blocks == (1 << 13));
  const auto fail = [](std::uint64_t) { throw std::runtime_error("stop"); };
  CHECK_THROWS_AS(mx::decompose_tensor(q, number_type::fp32, x.data(), shape, nullptr, fail),
                  std::runtime_error);
}

TEST_CASE("quantizations_that_make_no_sense_are_refused") {
  const float x = 1;
  const auto decompose = [&](const quantization& q, const blocked_shape& s) {
    return mx::decompose_tensor(q, number_type::fp32, &x, s);
  };
  CHECK_THROWS_AS(
      decompose({mx::block_formats::mxfp8_e4m3, scale_rule::static_four}, {.length = 1}),
      std::invalid_argument);
  CHECK_THROWS_AS(
      decompose({mx::block_formats::nvfp4_2d, scale_rule::ideal}, {.length = 1, .inner = 1 << 1}),
      std::invalid_argument);
}
