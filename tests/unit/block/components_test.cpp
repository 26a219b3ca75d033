// SPDX-License-Identifier: Apache-2.0
// tests/unit/block/components_test.cpp: mx/block/components.h. Identities that hold for every
// element; the values themselves are compared with exact rationals in tests/cross.
#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "catch.h"
#include "mx/block/components.h"

namespace {

using mx::compared_element;
using mx::component;
using mx::e8m0;
using mx::error_parts;
using mx::scale_rule;
using mx::unpacked;
constexpr scale_rule both_rules[] = {scale_rule::floor, scale_rule::rceil};

component set_of(int bits) { return static_cast<component>(bits); }

/// An element with the amax of its block.
struct example {
  float x, amax;
};

/// Random pairs, multiples of amax / 48 (including all ties of Q*) and their neighbours, the same
/// for s, and subnormals.
std::vector<example> examples() {
  std::mt19937 random(1);
  std::vector<example> result;
  const auto add = [&](float x, float amax) {
    if (std::fabs(x) <= amax) result.push_back({x, amax});
  };
  for (int i = 0; i < 6000; ++i) {
    const float amax = mx::float_of((random() & 0x7FFFFF) | (random() % 200 + 20) << 23);
    add(amax, amax);
    add(-amax, amax);
    add(std::ldexp(amax, -static_cast<int>(random() % 12)), amax);
    add(amax * mx::float_of((random() & 0x7FFFFF) | (112 + random() % 15) << 23), amax);
    // An amax with few bits has its fractions in binary32, so that true ties occur.
    const float round = std::ldexp(static_cast<float>(random() % 8 + 1) * 48.0F,
                                   static_cast<int>(random() % 40) - 20);
    const float tie = round / 48.0F * static_cast<float>(random() % 49);
    for (const std::uint32_t bits :
         {mx::bits_of(tie) - 1, mx::bits_of(tie), mx::bits_of(tie) + 1}) {
      if (tie > 0) add(i % 2 == 0 ? mx::float_of(bits) : -mx::float_of(bits), round);
    }
  }
  for (int i = 0; i < 3000; ++i) {
    const std::uint32_t amax = (random() & 0xFFFFFF) >> random() % 24 | 1;
    add(mx::float_of(static_cast<std::uint32_t>(random()) % (amax + 1)), mx::float_of(amax));
  }
  return result;
}

struct measured {
  unpacked x, amax;
  e8m0 scale;
  compared_element e;
  float quantized;
};

measured measure(const example& of, scale_rule rule) {
  measured m{mx::unpack(of.x), mx::unpack(of.amax), {}, {}, 0};
  m.scale = mx::shared_scale<mx::formats::e2m1>(rule, m.amax);
  m.e = mx::compare(m.x, m.amax, m.scale);
  m.quantized = mx::dequantize(mx::quantize_element(m.x, m.scale), m.scale);
  return m;
}

bool same(float a, float b) { return mx::bits_of(a) == mx::bits_of(b); }

TEST_CASE("sets_of_parts_join_and_meet") {
  CHECK((component::scale | component::grid) == set_of(5));
  CHECK((component::all & component::deadzone) == component::deadzone);
  CHECK(mx::contains(component::all, component::clip));
  CHECK_FALSE(mx::contains(component::scale | component::grid, component::deadzone));
  CHECK(mx::contains(component::scale, component::none));
}

TEST_CASE("the_parts_add_up_to_12_times_the_error_exactly") {
  for (const example& of : examples()) {
    for (const scale_rule rule : both_rules) {
      const measured m = measure(of, rule);
      const error_parts p = mx::parts_of(m.e);
      const std::int64_t sum = p.scale + p.deadzone + p.grid + p.clip;
      if (m.x.is_zero()) {
        REQUIRE(sum == 0);
        continue;
      }
      // Q decoded from code and byte; its distance to x fits binary64.
      const double error = double{m.quantized} - double{of.x};
      REQUIRE(std::ldexp(static_cast<double>(sum), p.exponent) == 12 * error);
      REQUIRE(p.exponent == m.x.exponent);
    }
  }
}

TEST_CASE("q_and_q_star_are_the_decoded_quantizers_in_twelfths") {
  for (const example& of : examples()) {
    const measured m = measure(of, scale_rule::rceil);
    if (m.x.is_zero()) continue;
    const auto twelfths = [&](std::int64_t n) {
      return std::ldexp(static_cast<double>(n), m.e.exponent);
    };
    REQUIRE(twelfths(m.e.quantized) == 12 * double{m.quantized});
    const mx::e2m1 ideal = mx::quantize_element_ideally(m.x, m.amax);
    const double value = double{mx::to_binary32(ideal.value())};
    // Q* = value * amax / 6; at most 24 + 3 bits.
    REQUIRE(twelfths(m.e.ideal) == 2 * value * double{of.amax});
  }
}

TEST_CASE("q_star_is_the_nearest_multiple_of_a_sixth_of_amax") {
  for (const example& of : examples()) {
    const double ratio = 6 * double{of.x} / double{of.amax};
    const mx::e2m1 found = mx::quantize_element_ideally(mx::unpack(of.x), mx::unpack(of.amax));
    const double distance = std::fabs(double{mx::to_binary32(found.value())} - ratio);
    for (std::uint8_t code = 0; code < 16; ++code) {
      const double value = double{mx::to_binary32(mx::e2m1{code}.value())};
      // The quotient is rounded once: two distances that are equal may differ in the last bit.
      REQUIRE(distance <= std::fabs(value - ratio) + 0x1p-49);
    }
  }
}

TEST_CASE("each_part_is_where_its_definition_says") {
  for (const example& of : examples()) {
    for (const scale_rule rule : both_rules) {
      const measured m = measure(of, rule);
      const error_parts p = mx::parts_of(m.e);
      const bool beyond = std::fabs(double{of.x}) > std::ldexp(6.0, m.scale.exponent());
      REQUIRE(m.e.clipped == beyond);
      REQUIRE((beyond ? p.scale : p.clip) == 0);
      REQUIRE((m.e.dead() ? p.grid : p.deadzone) == 0);
      if (m.e.dead()) REQUIRE(p.deadzone == -m.e.x);
      REQUIRE(p.scale_dead == (m.e.quantized == 0 && m.e.ideal != 0));
    }
  }
}

TEST_CASE("the_clip_is_empty_under_rceil_and_what_floor_cuts_off_elsewhere") {
  bool clipped = false;
  for (const example& of : examples()) {
    REQUIRE_FALSE(measure(of, scale_rule::rceil).e.clipped);
    const measured m = measure(of, scale_rule::floor);
    if (!m.e.clipped) continue;
    clipped = true;
    REQUIRE(same(m.quantized, std::copysign(std::ldexp(6.0F, m.scale.exponent()), of.x)));
    REQUIRE(mx::parts_of(m.e).clip == m.e.quantized - m.e.ideal);
  }
  CHECK(clipped);
  // amax = 7: floor takes s = 1 and saturates at 6, where the ideal quantizer is exact.
  const error_parts p = mx::parts_of(mx::compare(mx::unpack(7.0F), mx::unpack(7.0F), e8m0{127}));
  CHECK(std::ldexp(static_cast<double>(p.clip), p.exponent) == -12);
  CHECK(p.scale == 0);
  CHECK(p.grid == 0);
}

TEST_CASE("the_tie_at_a_24th_of_amax_is_dead") {
  // D-007: Q* rounds the tie between 0 and its smallest element to the even code, which is 0.
  for (int k = -90; k <= 90; ++k) {
    const unpacked amax = mx::unpack(std::ldexp(24.0F, k));
    const e8m0 scale = mx::shared_scale<mx::formats::e2m1>(scale_rule::rceil, amax);
    const float tie = std::ldexp(1.0F, k);
    const float above = mx::float_of(mx::bits_of(tie) + 1);
    CHECK(mx::compare(mx::unpack(tie), amax, scale).dead());
    CHECK(mx::compare(mx::unpack(-tie), amax, scale).dead());
    CHECK_FALSE(mx::compare(mx::unpack(above), amax, scale).dead());
  }
}

TEST_CASE("injecting_all_parts_gives_the_quantizer_and_injecting_none_gives_x") {
  for (const example& of : examples()) {
    for (const scale_rule rule : both_rules) {
      const measured m = measure(of, rule);
      REQUIRE(same(mx::inject(m.x, m.amax, m.scale, component::all), m.quantized));
      REQUIRE(same(mx::inject(m.x, m.amax, m.scale, component::none), of.x));
      REQUIRE(same(mx::operate(m.x, m.amax, m.scale, component::all), m.quantized));
      REQUIRE(same(mx::operate(m.x, m.amax, m.scale, component::none), of.x));
    }
  }
}

TEST_CASE("the_scale_alone_is_the_identity_as_an_operation_under_rceil") {
  for (const example& of : examples()) {
    const measured m = measure(of, scale_rule::rceil);
    REQUIRE(same(mx::operate(m.x, m.amax, m.scale, component::scale), of.x));
  }
}

TEST_CASE("without_the_scale_an_operation_equals_the_injection") {
  for (const example& of : examples()) {
    for (const scale_rule rule : both_rules) {
      const measured m = measure(of, rule);
      for (const component parts :
           {component::deadzone, component::grid, component::deadzone | component::grid}) {
        REQUIRE(same(mx::operate(m.x, m.amax, m.scale, parts),
                     mx::inject(m.x, m.amax, m.scale, parts)));
      }
    }
  }
}

TEST_CASE("deadzone_and_grid_injected_together_give_q_star") {
  for (const example& of : examples()) {
    const measured m = measure(of, scale_rule::rceil);
    const mx::e2m1 ideal = mx::quantize_element_ideally(m.x, m.amax);
    const unpacked product =
        mx::multiplied(m.amax, ideal.value().significand << (ideal.value().exponent + 1));
    const float expected = ideal.value().is_zero()
                               ? std::copysign(0.0F, of.x)
                               : mx::to_binary32(mx::quotient(product, unpacked::positive(12, 0)));
    const float found = mx::inject(m.x, m.amax, m.scale, component::deadzone | component::grid);
    REQUIRE(same(found, std::copysign(expected, of.x)));
  }
}

TEST_CASE("every_toggle_is_odd_and_scales_with_its_block") {
  for (const example& of : examples()) {
    if (of.amax > 0x1p60F || of.amax < 0x1p-60F) continue;
    for (const scale_rule rule : both_rules) {
      const measured m = measure(of, rule), negated = measure({-of.x, of.amax}, rule),
                     scaled = measure({of.x * 0x1p20F, of.amax * 0x1p20F}, rule);
      for (int bits = 0; bits < 16; ++bits) {
        for (const auto toggle : {&mx::inject, &mx::operate}) {
          const float y = toggle(m.x, m.amax, m.scale, set_of(bits));
          REQUIRE(same(toggle(negated.x, negated.amax, negated.scale, set_of(bits)), -y));
          REQUIRE(same(toggle(scaled.x, scaled.amax, scaled.scale, set_of(bits)), y * 0x1p20F));
        }
      }
    }
  }
}

TEST_CASE("a_result_of_zero_takes_the_sign_of_x_even_where_the_exact_sum_has_the_other") {
  // D-010. Among subnormals an exact sum of the other sign may round to zero.
  bool other_sign = false;
  for (std::uint32_t amax = 1; amax < 200; ++amax) {
    for (std::uint32_t magnitude = 1; magnitude <= amax; ++magnitude) {
      for (const std::uint32_t sign : {0U, 0x80000000U}) {
        const measured m =
            measure({mx::float_of(magnitude | sign), mx::float_of(amax)}, scale_rule::rceil);
        const bool crossed =
            m.e.x > 0 ? m.e.x + m.e.quantized < m.e.ideal : m.e.x + m.e.quantized > m.e.ideal;
        for (int bits = 0; bits < 16; ++bits) {
          for (const auto toggle : {&mx::inject, &mx::operate}) {
            const float y = toggle(m.x, m.amax, m.scale, set_of(bits));
            if (y != 0) continue;
            REQUIRE(mx::bits_of(y) == sign);
            other_sign = other_sign || (crossed && bits == 1);
          }
        }
      }
    }
  }
  CHECK(other_sign);
}

TEST_CASE("the_clip_follows_the_scale_in_an_operation") {
  // amax = 7 under floor: s = 1. Scale alone clamps 7 to 6 and leaves the rest.
  const unpacked amax = mx::unpack(7.0F);
  const e8m0 scale{127};
  CHECK(mx::operate(amax, amax, scale, component::scale) == 6.0F);
  CHECK(mx::operate(amax, amax, scale, component::clip) == 7.0F);
  CHECK(mx::operate(mx::unpack(5.9F), amax, scale, component::scale) == 5.9F);
}

}  // namespace
