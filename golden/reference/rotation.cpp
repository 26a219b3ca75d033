// SPDX-License-Identifier: Apache-2.0
// golden/reference/rotation.cpp: signs, butterflies, one factor.
#include "golden/reference/rotation.h"

#include <string_view>

#include "golden/reference/binary32.h"
#include "golden/reference/dot.h"
#include "golden/reference/philox.h"

namespace golden {
namespace {

bool is_minus(const rotation& by, std::size_t i) {
  constexpr std::string_view fixed = "+++-+------+-+--";
  if (by.signs == rotation_signs::none) return false;
  if (by.signs == rotation_signs::fixed) return fixed[i % fixed.size()] == '-';
  const auto low = static_cast<std::uint32_t>(by.seed);
  const auto high = static_cast<std::uint32_t>(by.seed >> 32);
  constexpr std::uint32_t name = 'H' << 24 | 'A' << 16 | 'D' << 8 | 'A';
  const auto words = philox_4x32_10({0, 0, name, 0}, {low, high});
  return (words[i / 32] >> i % 32 & 1) != 0;
}

// One rounding each. A product is added to -0, which leaves it as it is.
float sum(float a, float b) { return fused_multiply_add(a, b, 1.0F); }
float difference(float a, float b) { return fused_multiply_add(a, b, -1.0F); }
float product(float a, float b) { return fused_multiply_add(-0.0F, a, b); }

/// Row i of H times x is the sum of x[j] with the sign of the parity of i & j: a butterfly a bit.
void mix(std::vector<float>& x) {
  for (std::size_t distance = 1; distance < x.size(); distance *= 2) {
    std::vector<float> next;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const bool is_upper = (i & distance) != 0;
      next.push_back(is_upper ? difference(x[i - distance], x[i]) : sum(x[i], x[i + distance]));
    }
    x = next;
  }
}

std::vector<float> rotated_group(std::vector<float> x, const rotation& by) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (is_minus(by, i)) x[i] = -x[i];
  }
  mix(x);
  const float factor = reciprocal_of_root(x.size());
  for (float& value : x) value = product(value, factor);
  return x;
}

}  // namespace

float reciprocal_of_root(std::size_t n) {
  const rational square = rational(1) / rational(n);
  const auto exact = [](std::uint32_t bits) { return value_of(float_of(bits)).magnitude; };
  std::uint32_t below = 0;  // the last number whose square is not above
  for (std::uint32_t bit = 1U << 30; bit > 0; bit >>= 1) {
    const std::uint32_t tried = below | bit;
    if (is_finite(float_of(tried)) && exact(tried) * exact(tried) <= square) below = tried;
  }
  const rational middle = (exact(below) + exact(below + 1)) / 2;
  return float_of(middle * middle < square ? below + 1 : below);
}

std::vector<float> rotated(const std::vector<float>& x, const rotation& by) {
  std::vector<float> all;
  for (auto first = x.begin(); first != x.end(); first += static_cast<std::ptrdiff_t>(by.size)) {
    const std::vector<float> group =
        rotated_group({first, first + static_cast<std::ptrdiff_t>(by.size)}, by);
    all.insert(all.end(), group.begin(), group.end());
  }
  return all;
}

}  // namespace golden
