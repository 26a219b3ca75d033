// SPDX-License-Identifier: Apache-2.0
// tests/rtl/tiles.h: tiles made of words of dot products.
#pragma once
#include <vector>

#include "rtl_models/systemc/tile.h"

namespace rtl {

/// Tiles in which row i and column j come from words i and j of cross::words_of: elements on the
/// diagonal are words at the model's decision thresholds, the others mix two of a kind. Each tile
/// is of one kind; `count` tiles of each.
[[nodiscard]] std::vector<hardware::tile> tiles_of(int count, unsigned seed);

}  // namespace rtl
