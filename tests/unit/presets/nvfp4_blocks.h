// SPDX-License-Identifier: Apache-2.0
// tests/unit/presets/nvfp4_blocks.h: difficult blocks for NVFP4 quantizers, and the presets'
// results for them.
#pragma once
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "mx/presets/nvfp4_variants.h"

namespace nvfp4_test {

struct quantized {
  int scale = 0;
  std::vector<int> codes;
  friend bool operator==(const quantized&, const quantized&) = default;
};

using values = std::vector<float>;

inline quantized quantize(const mx::nvfp4_variant& v, const values& x, float tensor_amax) {
  std::vector<std::uint8_t> codes(x.size());
  const int scale = quantize_block(v, x.data(), mx::tensor_of(v, tensor_amax), codes.data());
  return {scale, {codes.begin(), codes.end()}};
}

/// 16 elements: the given ones, then zeros.
inline values block_of(values head) {
  head.resize(16);
  return head;
}

/// The blocks: with a NaN or an Inf in some of them, or without.
enum class specials { none, some };

/// A tensor's amax, and a block of it.
struct hard_block {
  float tensor_amax;
  values x;
};

/// Random blocks: of any size relative to the tensor, on ties and just beside them, with zeros of
/// both signs and subnormals.
class hard_blocks {
 public:
  explicit hard_blocks(std::uint64_t seed) : random_(seed) {}

  hard_block next(int size, specials with) {
    const float amax =
        std::ldexp(uniform(1, 2), integer(0, 9) == 0 ? integer(-149, 126) : integer(-12, 12));
    const float block = amax * std::ldexp(uniform(0.5, 1), -integer(0, 24) / 2);
    hard_block result{amax, values(static_cast<std::size_t>(size))};
    for (float& x : result.x) x = element(block);
    if (with == specials::some && integer(0, 3) == 0) place_special(result.x);
    return result;
  }

 private:
  int integer(int low, int high) { return std::uniform_int_distribution(low, high)(random_); }
  float uniform(double low, double high) {
    return static_cast<float>(std::uniform_real_distribution(low, high)(random_));
  }
  float element(float block) {
    constexpr std::array<float, 8> near{0.25F, 0.75F, 1.25F, 1.75F, 2.5F, 3.5F, 5.0F, 6.0F};
    const float sign = integer(0, 1) == 0 ? -1.0F : 1.0F;
    switch (integer(0, 5)) {
      case 0:
        return sign * 0.0F;
      case 1:
        return sign * block * near[static_cast<std::size_t>(integer(0, 7))] / 6.0F;
      case 2:
        return sign * std::nextafter(block * near[static_cast<std::size_t>(integer(0, 7))] / 6.0F,
                                     integer(0, 1) == 0 ? 0.0F : block);
      case 3:
        return sign * block;
      default:
        return sign * block * uniform(0, 1);
    }
  }
  void place_special(values& x) {
    const float infinity = std::numeric_limits<float>::infinity();
    const std::array<float, 4> special{infinity, -infinity, mx::float_of(0x7FC00000),
                                       mx::float_of(0xFFC00000)};
    x[static_cast<std::size_t>(integer(0, 15))] = special[static_cast<std::size_t>(integer(0, 3))];
  }

  std::mt19937_64 random_;
};

}  // namespace nvfp4_test
