// SPDX-License-Identifier: Apache-2.0
// tests/golden/reference/components_test.cpp: the parts of the error, computed by hand, their
// identity, and both kinds of toggles.
#include <random>

#include "catch.h"
#include "golden/reference/components.h"

namespace {

using golden::bits_of;
using golden::component;
using golden::error_parts;
using golden::float_of;
using golden::rational;
using golden::scale_rule;
using floats = std::vector<float>;

constexpr scale_rule both_rules[] = {scale_rule::floor, scale_rule::rceil};

// Blocks of ordinary numbers, of subnormals, and of numbers near the top.
floats random_block(std::mt19937& random, int kind) {
  const std::uint32_t lowest[] = {0x3c000000U, 0x00000000U, 0x7c000000U};
  const std::uint32_t spread[] = {0x83ffffffU, 0x80ffffffU, 0x83ffffffU};
  floats block(32);
  for (float& x : block) {
    x = float_of((random() & spread[kind]) + lowest[kind]);
    if (!golden::is_finite(x)) x = 0x1p127F;
    if (random() % 16 == 0) x = random() % 2 == 0 ? 0.0F : -0.0F;
  }
  return block;
}

std::vector<std::uint32_t> all_bits(const floats& values) {
  std::vector<std::uint32_t> bits;
  for (const float x : values) bits.push_back(bits_of(x));
  return bits;
}

component set_of(unsigned bits) { return static_cast<component>(bits); }

TEST_CASE("the_parts_are_as_by_hand_where_the_scale_is_coarser_than_ideal") {
  // s = 1, s* = 5/6.
  const std::vector<error_parts> parts =
      golden::decompose({5, 1, -0.25F, 0.125F, -0.0F}, scale_rule::rceil);
  CHECK(parts[0].scale == -1);  // Q = 4 by the tie, Q* = 5
  CHECK(parts[0].grid == 0);
  CHECK(parts[1].scale == rational(1, 6));
  CHECK(parts[1].grid == rational(-1, 6));
  CHECK(parts[2].scale == rational(5, 12));
  CHECK(parts[2].grid == rational(-1, 6));
  CHECK(parts[2].scale_dead);
  CHECK(parts[3].deadzone == rational(-1, 8));
  CHECK(parts[3].scale == 0);
  CHECK_FALSE(parts[3].scale_dead);
  CHECK((parts[4].deadzone == 0 && parts[4].grid == 0 && parts[4].scale == 0));
}

TEST_CASE("what_lies_beyond_6_times_the_scale_is_clip") {
  // floor: s = 1, s* = 7/6.
  const std::vector<error_parts> parts = golden::decompose({7, 6}, scale_rule::floor);
  CHECK(parts[0].clip == -1);
  CHECK(parts[0].scale == 0);
  CHECK(parts[1].clip == 0);
  CHECK(parts[1].scale == -1);  // Q = 6; 36/7 is nearest to 6, so Q* = 7
  CHECK(parts[1].grid == 1);
}

TEST_CASE("a_tie_at_amax_over_24_is_dead") {
  const std::vector<error_parts> parts =
      golden::decompose({6, 0.25F, 0x1.000002p-2F}, scale_rule::rceil);
  CHECK(parts[1].deadzone == rational(-1, 4));
  CHECK(parts[2].deadzone == 0);
  CHECK(parts[2].grid == rational(1, 2) - golden::value_of(0x1.000002p-2F).value());
}

TEST_CASE("the_parts_add_up_to_the_error_exactly") {
  std::mt19937 random(6);
  for (int i = 0; i < 30; ++i) {
    const floats block = random_block(random, i % 3);
    for (const scale_rule rule : both_rules) {
      const auto parts = golden::decompose(block, rule);
      const auto quantized = golden::dequantize_exact(golden::quantize(block, rule));
      for (std::size_t k = 0; k < block.size(); ++k) {
        const rational error = quantized[k].value() - golden::value_of(block[k]).value();
        REQUIRE(parts[k].scale + parts[k].deadzone + parts[k].grid + parts[k].clip == error);
        REQUIRE((parts[k].deadzone == 0 || parts[k].grid == 0));
        if (rule == scale_rule::rceil) REQUIRE(parts[k].clip == 0);
        if (rule == scale_rule::rceil) REQUIRE((parts[k].deadzone == 0 || parts[k].scale == 0));
      }
    }
  }
}

TEST_CASE("no_toggle_is_the_identity_and_all_are_the_quantizer") {
  std::mt19937 random(7);
  for (int i = 0; i < 30; ++i) {
    const floats block = random_block(random, i % 3);
    for (const scale_rule rule : both_rules) {
      const auto real = all_bits(golden::dequantize(golden::quantize(block, rule)));
      REQUIRE(all_bits(golden::inject(block, rule, component::none)) == all_bits(block));
      REQUIRE(all_bits(golden::operate(block, rule, component::none)) == all_bits(block));
      REQUIRE(all_bits(golden::inject(block, rule, component::all)) == real);
      REQUIRE(all_bits(golden::operate(block, rule, component::all)) == real);
    }
  }
}

TEST_CASE("under_rceil_the_two_meanings_agree_where_they_must") {
  std::mt19937 random(8);
  for (int i = 0; i < 30; ++i) {
    const floats block = random_block(random, i % 3);
    const auto operated = [&](component set) {
      return all_bits(golden::operate(block, scale_rule::rceil, set));
    };
    const auto injected = [&](component set) {
      return all_bits(golden::inject(block, scale_rule::rceil, set));
    };
    REQUIRE(operated(component::scale) == all_bits(block));
    for (const component set :
         {component::deadzone, component::grid, component::deadzone | component::grid}) {
      REQUIRE(operated(set) == injected(set));
    }
  }
}

TEST_CASE("injection_rounds_once_and_a_zero_keeps_the_sign_of_x") {
  const floats block{5, 1, -0.125F};
  const floats grid_alone = golden::inject(block, scale_rule::rceil, component::grid);
  CHECK(bits_of(grid_alone[1]) == 0x3f555555);  // 5/6
  const floats deadzone_alone = golden::inject(block, scale_rule::rceil, component::deadzone);
  CHECK(bits_of(deadzone_alone[2]) == 0x80000000);
  CHECK(deadzone_alone[0] == 5);
}

TEST_CASE("operators_nest_real_quantizers") {
  const floats block{7, 1, 0.25F, -0.3F};  // floor: s = 1, s* = 7/6
  const auto operated = [&](component set) {
    return golden::operate(block, scale_rule::floor, set);
  };
  CHECK(operated(component::scale) == floats{6, 1, 0.25F, -0.3F});
  CHECK(operated(component::scale | component::deadzone) == floats{6, 1, 0, -0.3F});
  CHECK(operated(component::scale | component::grid) == floats{6, 1, 0.25F, -0.5F});
  CHECK(operated(component::deadzone) == floats{7, 1, 0, -0.3F});
  CHECK(bits_of(operated(component::grid)[1]) == bits_of(7.0F / 6.0F));
}

TEST_CASE("a_special_block_becomes_nan_under_any_toggle") {
  const floats block{1, float_of(0xff800000), float_of(0x7fa00001)};
  CHECK(golden::decompose(block, scale_rule::floor).empty());
  for (unsigned bits = 0; bits < 16; ++bits) {
    const auto expected = bits == 0 ? all_bits(block) : std::vector<std::uint32_t>(3, 0x7fc00000);
    CHECK(all_bits(golden::inject(block, scale_rule::rceil, set_of(bits))) == expected);
    if (bits < 8)
      CHECK(all_bits(golden::operate(block, scale_rule::rceil, set_of(bits))) == expected);
  }
}

}  // namespace
