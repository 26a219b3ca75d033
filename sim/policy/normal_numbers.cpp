// SPDX-License-Identifier: Apache-2.0
// sim/policy/normal_numbers.cpp: uniform numbers in counter order, then pairs of normal ones.
#include "sim/policy/normal_numbers.h"

#include <cmath>
#include <vector>

#include "mx/number/philox.h"
#include "sim/policy/element_functions.h"

namespace sim {

namespace {

/// Standard normal numbers, at least `count`.
///   third  counter word, apart from which different numbers are independent
std::vector<float> standard_normal(std::uint64_t key, std::uint32_t word, std::uint32_t tensor,
                                   std::uint32_t third, std::ptrdiff_t count) {
  const std::ptrdiff_t pairs = (count + 31) / 32 * 16;
  std::vector<float> u(static_cast<std::size_t>(2 * pairs));
  for (std::size_t i = 0; i < u.size(); i += 4) {
    const auto words = mx::philox(key, {{word, tensor, third, static_cast<std::uint32_t>(i / 4)}});
    for (std::size_t j = 0; j < 4; ++j) u[i + j] = mx::uniform_of(words.word[j]);
  }
  normal_pairs(pairs, u.data(), u.data());
  return u;
}

/// Factor s of z / sqrt(q / s), q a sum of `degrees` squares: with s = degrees it has Student's
/// law, whose variance is degrees / (degrees - 2) and whose upper quartile is 1 of one degree of
/// freedom, sqrt(2 / 3) of two; the normal law's is 0.67449.
float spread_of(int degrees) {
  constexpr double quartile = 0.67448975019608174;
  if (degrees == 1) return static_cast<float>(quartile * quartile);
  if (degrees == 2) return static_cast<float>(2 * quartile * quartile * 3 / 2);
  return static_cast<float>(degrees - 2);
}

}  // namespace

void fill_normal(std::uint64_t key, std::uint32_t word, std::uint32_t tensor, float deviation,
                 float* out, std::ptrdiff_t count) {
  const std::vector<float> z = standard_normal(key, word, tensor, 0, count);
  for (std::ptrdiff_t i = 0; i < count; ++i) out[i] = deviation * z[static_cast<std::size_t>(i)];
}

void fill_student_t(std::uint64_t key, std::uint32_t word, std::uint32_t tensor, int degrees,
                    float deviation, float* out, std::ptrdiff_t count) {
  std::vector<float> q(static_cast<std::size_t>(count));
  for (int j = 1; j <= degrees; ++j) {
    const auto z = standard_normal(key, word, tensor, static_cast<std::uint32_t>(j), count);
    for (std::size_t i = 0; i < q.size(); ++i) q[i] += z[i] * z[i];
  }
  fill_normal(key, word, tensor, deviation, out, count);
  const float spread = spread_of(degrees);
  for (std::size_t i = 0; i < q.size(); ++i) out[i] /= std::sqrt(q[i] / spread);
}

}  // namespace sim
