// SPDX-License-Identifier: Apache-2.0
// tests/unit/block/block_components_test.cpp: mx/block/block_components.h. Q, Q* and the parts of
// every format against exact rationals, and against the 64-bit form of MXFP4.
#include "mx/block/block_components.h"

#include <random>
#include <vector>

#include "catch.h"
#include "golden/reference/formats.h"
#include "mx/block/energy.h"
#include "mx/block/names.h"

namespace {

using golden::rational;
using mx::block_format;
using mx::quantization;
using mx::scale_rule;
using mx::unpacked;

/// A format of elements, in the types of both sides.
struct element_pair {
  mx::format ours;
  const golden::number_format* theirs;
};

std::vector<element_pair> elements() {
  return {{mx::formats::e2m1, &golden::formats::e2m1()},
          {mx::formats::e2m3, &golden::formats::e2m3()},
          {mx::formats::e3m2, &golden::formats::e3m2()},
          {mx::formats::e4m3, &golden::formats::e4m3()},
          {mx::formats::e5m2, &golden::formats::e5m2()},
          {mx::formats::int8, &golden::formats::int8()},
          {mx::formats::e4m3fnuz, &golden::formats::e4m3fnuz()},
          {mx::formats::e5m2fnuz, &golden::formats::e5m2fnuz()}};
}

rational value_of(const unpacked& value) {
  if (value.is_zero()) return 0;
  const rational size =
      rational(golden::integer(value.significand)) * golden::power_of_two(value.exponent);
  return value.negative ? rational(-size) : size;
}

rational magnitude(const rational& value) { return value < 0 ? rational(-value) : value; }

/// Nearest magnitude of a format, ties to the even code, saturated.
rational nearest(const golden::number_format& format, const rational& value) {
  const auto above = format.first_not_below(value);
  if (!above) return format.largest();
  if (*above == 0) return format.magnitude(0);
  const rational high = format.magnitude(*above) - value;
  const rational low = value - format.magnitude(*above - 1);
  const bool up = high < low || (high == low && *above % 2 == 0);
  return format.magnitude(up ? *above : *above - 1);
}

float random_number(std::mt19937& random, unsigned spread) {
  const auto word = static_cast<std::uint32_t>(random());
  const std::uint32_t field = 127 + word % spread - spread / 2;
  const std::uint32_t fraction = random() % 3 == 0 ? word & 0x700000 : word & 0x7FFFFF;
  return mx::float_of((static_cast<std::uint32_t>(random()) & 0x80000000) | field << 23 | fraction);
}

std::vector<float> random_block(std::mt19937& random, int size) {
  const unsigned spreads[] = {1, 3, 9, 40, 200};
  const unsigned spread = spreads[random() % 5];
  std::vector<float> x;
  for (int i = 0; i < size; ++i) x.push_back(random() % 9 == 0 ? 0 : random_number(random, spread));
  return x;
}

/// Quantizations that are possible for an element.
std::vector<quantization> quantizations(const mx::format& element) {
  std::vector<quantization> list;
  for (const mx::format& scale : {mx::formats::e8m0, mx::formats::e8m(4), mx::formats::ue4m3,
                                  mx::formats::ue5m3, mx::formats::binary32}) {
    for (const auto& rule : mx::scale_rule_table) {
      for (const mx::rounding how :
           {mx::rounding::ties_to_even, mx::rounding::toward_zero, mx::rounding::stochastic}) {
        for (const auto tensor : {mx::tensor_scaling::none, mx::tensor_scaling::per_tensor}) {
          const block_format f{element, scale, 1, 16, mx::scale_precision::stored, tensor};
          list.push_back({f, rule.value, how, {7, 8}});
        }
      }
    }
  }
  list.push_back(
      {{element, mx::formats::e8m0, 1, 16, mx::scale_precision::exact}, scale_rule::ideal});
  std::erase_if(list, [](const quantization& q) { return refusal_of(q) != mx::refusal::none; });
  return list;
}

/// One block, quantized, with everything its parts are computed from.
struct quantized_block {
  quantization q;
  std::vector<float> x;
  unpacked amax, tensor = mx::no_tensor_scale;
  std::vector<std::uint8_t> codes;
  mx::chosen_scale chosen;
};

quantized_block quantized(const quantization& q, const std::vector<float>& x) {
  quantized_block b{q, x, mx::extent_of(x.data(), 16).amax, {}, std::vector<std::uint8_t>(16), {}};
  b.tensor = q.format.has_tensor_scale() ? mx::unpack(mx::tensor_scale_of(q.format, b.amax))
                                         : mx::no_tensor_scale;
  b.chosen = mx::quantize_block(q, x.data(), b.tensor, 3, b.codes.data());
  return b;
}

void check_elements(const quantized_block& b, const golden::number_format& theirs) {
  const block_format& f = b.q.format;
  const rational divisor = golden::integer(mx::divisor_of(f.element));
  const rational ideal_scale = value_of(b.amax) / theirs.largest();
  const rational scale = value_of(b.chosen.ratio.numerator) / value_of(b.chosen.ratio.denominator);
  for (std::size_t i = 0; i < b.x.size(); ++i) {
    const unpacked value = mx::unpack(b.x[i]);
    if (value.is_zero()) continue;
    const rational x = magnitude(value_of(value));
    const auto e = mx::compare(f, value, b.amax, b.codes[i], b.chosen.ratio);
    const rational code = theirs.decode(b.codes[i]).value.magnitude;
    REQUIRE(value_of(e.x) == divisor * x);
    REQUIRE(value_of(e.quantized) == divisor * code * scale);
    REQUIRE(value_of(e.ideal) == divisor * nearest(theirs, x / ideal_scale) * ideal_scale);
    REQUIRE(e.clipped == (x > theirs.largest() * scale));
    const unpacked decoded = mx::numerator_of(f.element, b.codes[i], b.chosen.ratio);
    REQUIRE(mx::parts_add_up(e, value, decoded));
    const auto other = static_cast<std::uint8_t>(b.codes[i] ^ 1U);
    const unpacked wrong = mx::numerator_of(f.element, other, b.chosen.ratio);
    if (!b.chosen.ratio.numerator.is_zero() && !wrong.is_special()) {
      REQUIRE_FALSE(mx::parts_add_up(e, value, wrong));
    }
  }
}

}  // namespace

TEST_CASE("q_and_q_star_of_every_format_are_the_rational_ones") {
  std::mt19937 random(3);
  for (const element_pair& element : elements()) {
    for (const quantization& q : quantizations(element.ours)) {
      for (int i = 0; i < 4; ++i) {
        const quantized_block b = quantized(q, random_block(random, 16));
        if (b.amax.is_zero()) continue;
        INFO(element.theirs->name() << ", rule " << static_cast<int>(q.rule));
        check_elements(b, *element.theirs);
      }
    }
  }
}

TEST_CASE("the_numbers_of_mxfp4_are_those_of_its_64_bit_form") {
  std::mt19937 random(4);
  for (const auto& rule : mx::scale_rule_table) {
    if (!mx::is_power_of_two_rule(rule.value)) continue;
    const quantization q{{mx::formats::e2m1, mx::formats::e8m0, 1, 16}, rule.value};
    for (int i = 0; i < 300; ++i) {
      const quantized_block b = quantized(q, random_block(random, 16));
      if (b.amax.is_zero()) continue;
      const mx::e8m0 scale{static_cast<std::uint8_t>(b.chosen.code)};
      for (std::size_t k = 0; k < b.x.size(); ++k) {
        const unpacked x = mx::unpack(b.x[k]);
        if (x.is_zero()) continue;
        const auto wide =
            mx::measured(x, mx::compare(q.format, x, b.amax, b.codes[k], b.chosen.ratio));
        const auto narrow = mx::measured(x, mx::compare(x, b.amax, scale));
        REQUIRE(wide.x == narrow.x);
        REQUIRE(wide.quantized == narrow.quantized);
        REQUIRE(wide.ideal == narrow.ideal);
        REQUIRE(wide.clipped == narrow.clipped);
      }
    }
  }
}

TEST_CASE("parts_far_apart_add_up_and_a_wrong_code_is_seen") {
  // 2^127 under the largest scale of UE4M3, and under a tensor scale of 2^-149.
  const quantization alone{{mx::formats::int8, mx::formats::ue4m3, 1, 1}, scale_rule::ideal};
  quantization above = alone;
  above.format.tensor = mx::tensor_scaling::per_tensor;
  const float x = 0x1.fffffep127F;
  for (const quantization& q : {alone, above}) {
    const unpacked value = mx::unpack(x);
    const unpacked tensor =
        q.format.has_tensor_scale() ? mx::unpack(0x1p-149F) : mx::no_tensor_scale;
    std::uint8_t code = 0;
    const mx::chosen_scale chosen = mx::quantize_block(q, &x, tensor, 0, &code);
    const auto e = mx::compare(q.format, value, value, code, chosen.ratio);
    CHECK(e.clipped);
    CHECK(code == 0x7F);
    const auto decoded = [&](std::uint32_t c) {
      return mx::numerator_of(q.format.element, c, chosen.ratio);
    };
    CHECK(mx::parts_add_up(e, value, decoded(0x7F)));
    CHECK_FALSE(mx::parts_add_up(e, value, decoded(0x7E)));
    CHECK_FALSE(mx::parts_add_up(e, value, decoded(0x81)));
    CHECK_FALSE(mx::parts_add_up(e, value, decoded(0)));
  }
}
