// SPDX-License-Identifier: Apache-2.0
// rtl_models/cosim/throughput.cpp: simulation speed of a tensor core with a saturated input.
#include "rtl_models/cosim/throughput.h"

#include <chrono>

#include "rtl_models/cosim/random_tiles.h"

namespace hardware {

throughput throughput_of(tile_backend& side, std::uint32_t seed, unsigned tiles) {
  std::vector<tile> of;
  for (std::uint32_t i = 0; i < 64; ++i) of.push_back(random_tile(seed, i));
  sc_core::sc_start(10, sc_core::SC_NS);
  const auto begin = std::chrono::steady_clock::now();
  unsigned pushed = 0;
  for (unsigned pulled = 0; pulled < tiles;) {
    for (; pushed < tiles && pushed - pulled < 32; ++pushed) side.push(of[pushed % of.size()]);
    sc_core::sc_start(100, sc_core::SC_NS);
    while (side.pull()) ++pulled;
  }
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
  const auto* clocked = dynamic_cast<const clocked_backend*>(&side);
  const double cycles = clocked == nullptr ? 0 : static_cast<double>(clocked->busy_cycles());
  return {static_cast<double>(tiles) * tile_shape::elements / time.count(), cycles / time.count()};
}

}  // namespace hardware
