// SPDX-License-Identifier: Apache-2.0
// sim/policy/normal_numbers.cpp: uniform numbers in counter order, then pairs of normal ones.
#include "sim/policy/normal_numbers.h"

#include <vector>

#include "mx/number/philox.h"
#include "sim/policy/row_functions.h"

namespace sim {

void fill_normal(std::uint64_t key, std::uint32_t word, std::uint32_t tensor, float deviation,
                 float* out, std::ptrdiff_t count) {
  const std::ptrdiff_t pairs = (count + 31) / 32 * 16;
  std::vector<float> u(static_cast<std::size_t>(2 * pairs));
  for (std::size_t i = 0; i < u.size(); i += 4) {
    const auto words = mx::philox(key, {{word, tensor, 0, static_cast<std::uint32_t>(i / 4)}});
    for (std::size_t j = 0; j < 4; ++j) u[i + j] = mx::uniform_of(words.word[j]);
  }
  normal_pairs(pairs, u.data(), u.data());
  for (std::ptrdiff_t i = 0; i < count; ++i) out[i] = deviation * u[static_cast<std::size_t>(i)];
}

}  // namespace sim
