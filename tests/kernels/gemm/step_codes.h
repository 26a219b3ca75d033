// SPDX-License-Identifier: Apache-2.0
// tests/kernels/gemm/step_codes.h: the codes of a step of 64 of k whose blocks have sums of all
// sizes.
#pragma once
#include <cstdint>

#include "gemm/integer_codes.h"
#include "gemm/steps.h"
#include "products.h"

namespace kernels_test {

using mx::kernels::drawn;

struct step_codes {
  std::uint8_t a[64], b[64];

  /// One of 4 kinds: the largest magnitudes; one product in eleven; small ones; any.
  explicit step_codes(std::uint64_t seed) {
    const std::uint32_t kind = drawn(seed, 1000) % 4;
    for (std::uint32_t i = 0; i < 64; ++i) {
      const std::uint32_t word = drawn(seed, i);
      a[i] = static_cast<std::uint8_t>(kind == 0 ? 7 | (word & 8) : word & 15);
      b[i] = static_cast<std::uint8_t>(kind == 0 ? 7 | (word & 8) : word >> 4 & 15);
      if (kind == 1 && i % 11 != seed % 11) b[i] &= 8;
      if (kind == 2) a[i] = static_cast<std::uint8_t>(a[i] & 9);
    }
  }

  [[nodiscard]] std::int32_t sum(int first, int size) const {
    auto sum = static_cast<std::int32_t>(mx::kernels::bits_of_no_sum);
    for (int i = first; i < first + size; ++i) sum += byte(a[i]) * byte(b[i]);
    return sum;
  }
  /// Zero if all products are zero.
  [[nodiscard]] std::int32_t any(int first, int size) const {
    std::int32_t count = 0;
    for (int i = first; i < first + size; ++i) count += byte(a[i]) * byte(b[i]) != 0 ? 1 : 0;
    return count;
  }

  /// The products of group g of 16 are all zero, or two of them cancel.
  void clear(int g) {
    for (int i = g * 16; i < g * 16 + 16; ++i) b[i] &= 8;
  }
  void cancel(int g) {
    clear(g);
    a[g * 16] = a[g * 16 + 9] = b[g * 16 + 9] = 5;
    b[g * 16] = 13;
  }
  /// All products of the group are the largest, of one sign.
  void fill(int g, bool negative) {
    for (int i = g * 16; i < g * 16 + 16; ++i) {
      a[i] = 7;
      b[i] = negative ? 15 : 7;
    }
  }

 private:
  static int byte(std::uint32_t code) {
    return static_cast<std::int8_t>(mx::kernels::byte_of_code(code));
  }
};

inline bool is_nan(std::uint32_t bits) { return (bits & 0x7FFFFFFF) > 0x7F800000; }

/// Whether bits are the model's, except for what store_sum corrects: NaN and -0 for +0.
inline bool agree(float found, std::uint32_t expected) {
  const std::uint32_t bits = mx::bits_of(found);
  return bits == expected || (is_nan(bits) && is_nan(expected)) ||
         (bits == 0 && expected == 0x80000000);
}

}  // namespace kernels_test
