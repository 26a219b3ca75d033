// SPDX-License-Identifier: Apache-2.0
// golden/probe/amax_blocks.cpp: significands, binades, and the elements beside the largest one.
#include "golden/probe/amax_blocks.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "mx/number/philox.h"

namespace golden::probe {
namespace {

std::uint32_t drawn(std::uint64_t index) {
  return mx::philox(11, {{static_cast<std::uint32_t>(index), 0, 0, 0}}).word[0];
}

/// An FP32 number some ULP away.
float stepped(float x, int by) {
  return mx::float_of(static_cast<std::uint32_t>(static_cast<int>(mx::bits_of(x)) + by));
}

float value_of(const mx::format& f, std::uint32_t code) {
  return mx::to_binary32(mx::decode(f, code));
}

/// Significands in [1, 2) that are thresholds of some scale rule.
std::vector<float> turning_significands(const mx::format& element) {
  const float largest = std::ldexp(value_of(element, element.max_code()), -element.emax());
  const float even = 2.0F - std::ldexp(1.0F, -(element.fraction_bits + 1));
  const float middle = 0.5F * (largest + 2.0F);  // midmax
  return {1.0F, largest, even, middle, 0x1.6A09E6p+0F, 1.25F, 1.5F};
}

/// Significands of 8 bits between neighbouring thresholds: rounding to BF16 moves them over none.
std::vector<float> between_thresholds(const mx::format& element) {
  std::vector<float> list = turning_significands(element);
  list.push_back(list[1] + std::ldexp(1.0F, -(element.fraction_bits + 1)));  // overflow_aware
  list.push_back(2.0F);
  std::sort(list.begin(), list.end());
  std::vector<float> between;
  for (std::size_t k = 1; k < list.size(); ++k) {
    const float middle = std::ldexp(std::floor(std::ldexp(list[k - 1] + list[k], 6)), -7);
    if (list[k - 1] < middle && middle < list[k]) between.push_back(middle);
  }
  return between;
}

/// ULP around them: below a power of two a rounded log2 is wrong in a band that grows with the
/// exponent (mx/number/log2_bands.h).
constexpr std::array steps{0, 1, -1, 2, -2, -3, -5, -8, -11, -22, -44};
constexpr std::size_t near_steps = 3;

constexpr std::array exponents{0,    1,    2,    3,    4,    5,    -1,   -3,   8,    -8,
                               16,   -16,  32,   64,   -64,  100,  -100, 120,  126,  127,
                               -120, -122, -123, -124, -125, -126, -127, -130, -140, -148};

/// A number at, just above or just below the middle of two elements, under a scale of one.
float near_middle(const mx::format& element, std::uint64_t index) {
  const std::uint32_t word = drawn(index);
  const std::uint32_t code = word % element.max_code();
  const float middle = 0.5F * (value_of(element, code) + value_of(element, code + 1));
  constexpr std::array near{0, 1, -1, 0, 3, -3};
  const float x = stepped(middle, near[(word >> 16) % near.size()]);
  return (word >> 31) != 0 ? -x : x;
}

/// The largest magnitude, and midpoints under the scale that floor or ceil chooses.
std::vector<float> filled(const mx::block_format& f, float amax, std::uint64_t seed) {
  const int binade = amax > 0 ? std::ilogb(amax) : 0;
  std::vector<float> x(static_cast<std::size_t>(f.size()));
  for (std::size_t k = 0; k < x.size(); ++k) {
    const std::uint64_t index = seed * 4096 + k % 32;
    const int under = binade - f.element.emax() + static_cast<int>(drawn(index + 2048) % 2);
    x[k] = std::ldexp(near_middle(f.element, index), under);
    if (std::abs(x[k]) > amax) x[k] = std::copysign(amax, x[k]);
  }
  x[seed % x.size()] = (seed % 3 == 1) ? -amax : amax;
  return x;
}

std::vector<float> repeated(const mx::block_format& f, const std::vector<float>& numbers) {
  std::vector<float> x(static_cast<std::size_t>(f.size()));
  for (std::size_t k = 0; k < x.size(); ++k) x[k] = numbers[k % numbers.size()];
  return x;
}

}  // namespace

std::vector<noted_block> amax_blocks(const mx::block_format& f, threshold_reach reach) {
  const std::size_t taken = reach == threshold_reach::near ? near_steps : steps.size();
  std::vector<noted_block> list;
  std::uint64_t seed = 0;
  for (const int exponent : exponents) {
    for (const float significand : turning_significands(f.element)) {
      for (std::size_t k = 0; k < taken; ++k) {
        const float amax = stepped(std::ldexp(significand, exponent), steps[k]);
        if (!(amax > 0) || !std::isfinite(amax)) continue;
        list.push_back({"a largest magnitude at a threshold of scale rules, in the binade of 2^" +
                            std::to_string(std::ilogb(amax)),
                        filled(f, amax, ++seed)});
      }
    }
  }
  for (const float significand : between_thresholds(f.element)) {
    list.push_back({"a largest magnitude between thresholds of scale rules, in the binade of 2^0",
                    filled(f, significand, ++seed)});
  }
  return list;
}

std::vector<noted_block> special_blocks(const mx::block_format& f) {
  const float nan = mx::float_of(0x7FC00000U), negative_nan = mx::float_of(0xFFC00000U);
  const float inf = mx::float_of(0x7F800000U), payload = mx::float_of(0x7FFFE000U);
  const auto of = [&f](std::string what, const std::vector<float>& numbers) {
    return noted_block{std::move(what), repeated(f, numbers)};
  };
  return {of("a NaN first, others of many sizes", {nan, 5.0F, -0.3F, 1e-30F, -0.0F, 0.0F, 2.5F}),
          of("a NaN of either sign beside 7", {7.0F, negative_nan, nan, -0.0F}),
          of("a NaN with a payload beside 6.5", {6.5F, payload, -1.0F}),
          of("a NaN among zeros", {0.0F, nan, -0.0F}),
          of("an Inf among zeros", {0.0F, inf, -0.0F}),
          of("+Inf alone", {inf}),
          of("-Inf and numbers above 6", {-inf, 6.5F, 7.0F, -0.1F}),
          of("a NaN beside the smallest number", {nan, 0x1p-149F}),
          of("a NaN beside FLT_MAX", {0x1.fffffep+127F, nan, -1.0F}),
          of("an Inf beside FLT_MAX", {0x1.fffffep+127F, inf, -1.0F}),
          of("a block of -0", {-0.0F}),
          of("zeros of both signs alone", {0.0F, -0.0F}),
          of("small numbers of both signs beside 1", {1.0F, -1e-30F, 1e-30F, -0.0F, 0.0F, -0.01F}),
          of("numbers that are subnormal in FP16", {0x1p-15F, -0x1.8p-16F, 0x1p-24F, 0.0F}),
          of("elements that are subnormal", {1.0F, 0.1F, -0.12F, 0.06F, -0.03F, 0.02F})};
}

std::vector<noted_block> short_amax_blocks(const mx::block_format& f) {
  std::vector<noted_block> list;
  for (int exponent = -11; exponent <= 1; ++exponent) {
    for (int step = 0; step<128; step += f.rows> 1 ? 8 : 1) {
      const auto numerator = static_cast<float>(128 + step);
      const float amax = std::ldexp(numerator, exponent - 7);
      list.push_back(
          {"a largest magnitude of 8 bits whose scale byte an order of operations decides",
           filled(f, amax, list.size())});
    }
  }
  return list;
}

}  // namespace golden::probe
