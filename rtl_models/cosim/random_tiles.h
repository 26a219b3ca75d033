// SPDX-License-Identifier: Apache-2.0
// rtl_models/cosim/random_tiles.h: tiles to compare tensor cores with: the same for the same numbers.
#pragma once
#include "rtl_models/systemc/tile.h"

namespace hardware {

/// Tile `index` of a seed. By its index it has scales of all codes, close to each other, or at the
/// ends of their range; C of any bits, or near the products.
[[nodiscard]] tile random_tile(std::uint32_t seed, std::uint32_t index);

}  // namespace hardware
