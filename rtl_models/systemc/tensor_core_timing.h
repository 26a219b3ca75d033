// SPDX-License-Identifier: Apache-2.0
// rtl_models/systemc/tensor_core_timing.h: latency of a tensor core, in cycles; defaults are the
// RTL's figures, which tests/cosim checks against mx_tensor_core.
#pragma once
#include <cstdint>

#include "rtl_models/systemc/tile.h"

namespace hardware {

/// unit: cycles
///   stages    of a lane's pipeline, after the operand register
///   interval  between two words of D; 1: one dot product a lane a cycle
struct tensor_core_timing {
  static constexpr int most_stages = 32;

  int lanes = 8;
  int stages = 4;
  int interval = 1;

  [[nodiscard]] constexpr bool is_sound() const {
    const bool lanes_fit = lanes > 0 && lanes <= tile_shape::elements && (lanes & (lanes - 1)) == 0;
    return lanes_fit && stages > 0 && stages <= most_stages && interval > 0;
  }
  /// From the first word offered to the end of the last word's interval, without stalls.
  [[nodiscard]] constexpr std::int64_t cycles_of_tiles(std::int64_t tiles) const {
    return tiles * tile_words{lanes}.results() * interval + stages + 1;
  }
  /// For a product, which is whole tiles.
  [[nodiscard]] constexpr std::int64_t cycles_of(std::int64_t m, std::int64_t n,
                                                 std::int64_t k) const {
    const auto parts = [](std::int64_t size, std::int64_t part) {
      return (size + part - 1) / part;
    };
    return cycles_of_tiles(parts(m, tile_shape::m) * parts(n, tile_shape::n) *
                           parts(k, tile_shape::k));
  }
};
static_assert(tensor_core_timing{}.cycles_of(16, 8, 64) == 16 + 5);
static_assert(tensor_core_timing{}.cycles_of(17, 8, 65) == 4 * 16 + 5);
static_assert(tensor_core_timing{.lanes = 32}.cycles_of_tiles(10) == 40 + 5);

}  // namespace hardware
