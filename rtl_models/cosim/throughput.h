// SPDX-License-Identifier: Apache-2.0
// rtl_models/cosim/throughput.h: how fast a tensor core runs that is never short of tiles.
#pragma once
#include "rtl_models/cosim/backends.h"

namespace hardware {

/// unit: a second of real time
///   cycles  with a tile under way; 0 of a side without a clock
struct throughput {
  double dot_products = 0, cycles = 0;
};

/// Of `tiles` tiles of a seed, unchecked. The simulation has begun, and goes on.
[[nodiscard]] throughput throughput_of(tile_backend& side, std::uint32_t seed, unsigned tiles);

}  // namespace hardware
