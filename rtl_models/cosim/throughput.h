// SPDX-License-Identifier: Apache-2.0
// rtl_models/cosim/throughput.h: simulation speed of a tensor core with a saturated input.
#pragma once
#include "rtl_models/cosim/backends.h"

namespace hardware {

/// unit: a second of real time
///   cycles  with a tile in flight; 0 for a side without a clock
struct throughput {
  double dot_products = 0, cycles = 0;
};

/// Speed over `tiles` tiles of a seed, unchecked. The simulation has begun, and continues.
[[nodiscard]] throughput throughput_of(tile_backend& side, std::uint32_t seed, unsigned tiles);

}  // namespace hardware
