// SPDX-License-Identifier: Apache-2.0
// tests/cross/critical.cpp: blocks for one quantization, at and beside its decision thresholds.
#include "critical.h"

#include <algorithm>
#include <limits>

namespace cross {
namespace {

using golden::number_format;
using golden::power_of_two;
using golden::rational;
using floats = std::vector<float>;

constexpr std::uint32_t sign_bit = 0x80000000U;
constexpr std::uint32_t largest_finite = 0x7F7FFFFFU;

std::uint32_t below(std::mt19937& random, std::uint32_t count) {
  return static_cast<std::uint32_t>(random()) % count;
}

float any_magnitude(std::mt19937& random) {
  return golden::float_of(below(random, largest_finite + 1));
}

// The bounds of the rules for shared exponents, at the exponent 0.
rational bound_of_a_rule(const number_format& element, std::mt19937& random) {
  const rational& largest = element.largest();
  const rational power = power_of_two(element.emax());
  const rational last_step = largest - element.magnitude(element.magnitudes() - 2);
  const rational bounds[] = {largest,
                             power,
                             2 * power,
                             (largest + 2 * power) / 2,
                             largest + last_step / 2,
                             (2 - power_of_two(-(element.fraction_bits() + 1))) * power,
                             4,
                             6};
  return bounds[below(random, 8)];
}

// A scale of the format, or the middle of two.
rational scale_or_tie(const number_format& scale, std::mt19937& random) {
  const std::uint32_t code = below(random, scale.magnitudes() - 1);
  const rational& here = scale.magnitude(code);
  return below(random, 3) == 0 ? here : rational((here + scale.magnitude(code + 1)) / 2);
}

int any_exponent(std::mt19937& random) {
  const int near_one = static_cast<int>(below(random, 21)) - 10;
  const int anywhere = static_cast<int>(below(random, 278)) - 150;
  return below(random, 2) == 0 ? near_one : anywhere;
}

rational critical_amax(const quantization_twins& q, std::mt19937& random) {
  const number_format& element = *q.element.reference;
  switch (below(random, 5)) {
    case 0:
      return bound_of_a_rule(element, random) * power_of_two(any_exponent(random));
    case 1:
      return element.largest() * scale_or_tie(*q.scale.reference, random);
    case 2:
      return 4 * scale_or_tie(*q.scale.reference, random);
    case 3:
      return rational(21 * (below(random, 31) + 1)) * power_of_two(any_exponent(random) / 2);
    default:
      return golden::value_of(any_magnitude(random)).magnitude;
  }
}

// A number of the element format, or the middle of two.
rational element_or_tie(const number_format& element, std::mt19937& random) {
  const std::uint32_t code = below(random, element.magnitudes() - 1);
  const rational& here = element.magnitude(code);
  return below(random, 4) == 0 ? here : rational((here + element.magnitude(code + 1)) / 2);
}

float with_any_sign(float x, std::mt19937& random) { return below(random, 2) == 0 ? x : -x; }

}  // namespace

float near(const rational& value, std::mt19937& random) {
  const std::uint32_t nearest =
      std::min(golden::round_to_binary32(value, golden::zero_sign::positive), largest_finite);
  const std::uint32_t side = below(random, 4);
  if (side == 0 && nearest > 0) return golden::float_of(nearest - 1);
  if (side == 1 && nearest < largest_finite) return golden::float_of(nearest + 1);
  return golden::float_of(nearest);
}

floats critical_block(const quantization_twins& q, std::size_t size, float tensor,
                      std::mt19937& random) {
  const rational above = golden::value_of(tensor).magnitude;
  const float amax = near(critical_amax(q, random) * above, random);
  const rational scale = golden::value_of(amax).magnitude / q.element.reference->largest();
  const golden::block_scale chosen =
      mx::follows_from_amax(q.rule.core)
          ? golden::choose_scale({{false, golden::value_of(amax).magnitude / above}},
                                 *q.element.reference, q.reference().scale, q.rule.reference)
          : golden::block_scale{0, {golden::number_kind::finite, {false, scale / above}}};
  floats block;
  for (std::size_t i = 0; i < size; ++i) {
    const rational tie = element_or_tie(*q.element.reference, random);
    const float x = near(tie * chosen.value.value.magnitude * above, random);
    block.push_back(with_any_sign(std::min(x, amax), random));
  }
  block[below(random, static_cast<std::uint32_t>(size))] = with_any_sign(amax, random);
  return block;
}

std::vector<floats> odd_blocks(std::size_t size) {
  using limits = std::numeric_limits<float>;
  floats zeros(size, 0.0F), alone(size, -0.0F), spread, small;
  alone[size / 2] = -5.0F;
  for (std::uint32_t i = 0; i < size; ++i) {
    spread.push_back(golden::float_of(i * 0x7654321U % largest_finite | (i % 2 * sign_bit)));
    small.push_back(golden::float_of(i * 37 % 0x900U | (i % 3 == 1 ? sign_bit : 0)));
  }
  std::vector<floats> list{zeros, alone, spread, small, floats(size, -limits::max())};
  for (const float special : {limits::infinity(), -limits::infinity(), limits::quiet_NaN()}) {
    floats block(size, 3.0F);
    block[size - 1] = special;
    list.push_back(block);
  }
  return list;
}

}  // namespace cross
