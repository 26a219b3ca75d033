// SPDX-License-Identifier: Apache-2.0
// tests/policy/product_test.cpp: sim/policy/product.h: keys of random bits, rotations of lines.
#include "sim/policy/product.h"

#include <limits>
#include <random>
#include <set>

#include "all_linears.h"
#include "catch.h"
#include "instruction_sets.h"
#include "tiny_policy.h"

namespace {

using sim::operand_role;

TEST_CASE("an_operand_s_stream_holds_layer_linear_pass_and_role_and_leaves_bit_0_to_a_residual") {
  const sim::step_arithmetic a{test::everywhere(test::drawn(test::mxfp4())), {9, 0xB000005, 32}};
  const auto random = [&](sim::pass pass, operand_role role, int layer, sim::linear l) {
    return a.of(pass).operand(role, {layer, l}).recipe.rules.random;
  };
  CHECK(random(sim::pass::rollout, operand_role::data, 0, sim::linear::q).stream == 0);
  CHECK(random(sim::pass::wgrad, operand_role::other, 0, sim::linear::q).stream == 0xE);
  CHECK(random(sim::pass::dgrad, operand_role::data, 0x1234, sim::linear::down).stream == 0x123468);
  std::set<std::uint32_t> streams;
  for (const sim::pass pass : sim::all_passes) {
    for (const operand_role role : {operand_role::data, operand_role::other}) {
      for (int layer = 0; layer < 3; ++layer) {
        for (const sim::linear l : test::all_linears) {
          const mx::random_source r = random(pass, role, layer, l);
          CHECK(r.seed == 9);
          CHECK(r.step == 0xB000005);
          CHECK(r.stream % 2 == 0);
          streams.insert(r.stream);
        }
      }
    }
  }
  CHECK(streams.size() == 4 * 2 * 3 * 7);
  CHECK(sim::token_number({9, 0, 32}, 5, 3) == 163);
}

TEST_CASE("rotations_of_rows_and_columns_are_the_core_s_on_every_line") {
  std::mt19937 random(4);
  const auto some = [&] {
    const auto word = static_cast<std::uint32_t>(random());
    // Mostly numbers near 1; some of any kind, including NaN, Inf and subnormals.
    return word % 61 == 0 ? mx::float_of(static_cast<std::uint32_t>(random()))
                          : static_cast<float>(word % 4096) / 512 - 4;
  };
  for (const mx::rotation& r :
       {mx::rotation{16, mx::rotation_signs::fixed}, mx::rotation{32},
        mx::rotation{64, mx::rotation_signs::random, 3}, mx::rotation{128}}) {
    constexpr int lines = 7, stride = 140;
    std::vector<float> x(128 * stride), found(128 * 128), core(128);
    std::ranges::generate(x, some);
    sim::rotate_rows(r, lines, 128, x.data(), stride, found.data());
    int different = 0;
    const auto compare = [&](auto at_found, auto at_x, int count) {
      for (int line = 0; line < lines; ++line) {
        for (int i = 0; i < 128; ++i) {
          core[static_cast<std::size_t>(i)] = i < count ? x[at_x(line, i)] : 0.0F;
        }
        const int padded = sim::rotated_length(r, count);
        mx::rotate(r, core.data(), padded);
        for (int i = 0; i < padded; ++i) {
          different += mx::bits_of(found[at_found(line, i)]) !=
                               mx::bits_of(core[static_cast<std::size_t>(i)])
                           ? 1
                           : 0;
        }
      }
    };
    const auto index = [](int row, int column, int width) {
      return static_cast<std::size_t>(row * width + column);
    };
    compare([&](int line, int i) { return index(line, i, 128); },
            [&](int line, int i) { return index(line, i, stride); }, 128);
    for (const int count : {20, 37, 128}) {
      sim::rotate_columns(r, count, lines, x.data(), stride, found.data());
      compare([&](int line, int i) { return index(i, line, lines); },
              [&](int line, int i) { return index(i, line, stride); }, count);
    }
    INFO(r.size);
    CHECK(different == 0);
  }
}

}  // namespace
