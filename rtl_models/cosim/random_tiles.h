// SPDX-License-Identifier: Apache-2.0
// rtl_models/cosim/random_tiles.h: tiles for comparing tensor cores, determined by seed and index.
#pragma once
#include "rtl_models/systemc/tile.h"

namespace hardware {

/// Tile `index` of a seed. Depending on the index its scales are any codes, close to each other, or
/// at the ends of their range; C has random bits, or is near the products.
[[nodiscard]] tile random_tile(std::uint32_t seed, std::uint32_t index);

}  // namespace hardware
