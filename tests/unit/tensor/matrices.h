// SPDX-License-Identifier: Apache-2.0
// tests/unit/tensor/matrices.h: dense row-major matrices of FP32: compared by bits, transposed, and
// with random values whose products stay finite.
#pragma once
#include <cstddef>
#include <random>
#include <vector>

#include "catch.h"
#include "mx/number/bits.h"

namespace tests {

using floats = std::vector<float>;

struct shape {
  int rows, columns;
};

/// Number of elements that differ in their bits.
inline std::size_t differences(const floats& a, const floats& b) {
  REQUIRE(a.size() == b.size());
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) count += mx::bits_of(a[i]) != mx::bits_of(b[i]);
  return count;
}

inline floats transposed(const shape& s, const floats& x) {
  floats out(x.size());
  for (int row = 0; row < s.rows; ++row) {
    for (int column = 0; column < s.columns; ++column) {
      out[static_cast<std::size_t>(column * s.rows + row)] =
          x[static_cast<std::size_t>(row * s.columns + column)];
    }
  }
  return out;
}

/// Products that neither overflow nor become NaN, with zeros, and some that underflow.
inline floats factors(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  floats x(count);
  for (float& v : x) {
    v = mx::float_of((random() & 0x807FFFFF) | (random() % 10 + 120) << 23);
    if (random() % 9 == 0) v = random() % 2 == 0 ? 0.0F : -0.0F;
    if (random() % 17 == 0) v *= 0x1p-80F;
  }
  return x;
}

}  // namespace tests
