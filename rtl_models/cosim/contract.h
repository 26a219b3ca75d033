// SPDX-License-Identifier: Apache-2.0
// rtl_models/cosim/contract.h: what a tensor core in a co-simulation has to offer: tiles go in, their
// D comes out in the same order, and what it did wrong on the way can be asked for.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "rtl_models/systemc/tile.h"

namespace hardware {

/// D of a tile, row by row.
using tile_result = std::array<std::uint32_t, std::size_t{tile_shape::elements}>;

class tile_backend {
 public:
  virtual ~tile_backend() = default;

  /// Of a kind, for reports and command lines: "cycles", "verilated", "emulator".
  [[nodiscard]] virtual const std::string& label() const = 0;
  /// Puts the tile's words behind those that wait on its streams.
  virtual void push(const tile& operands) = 0;
  /// D of the oldest tile that was not pulled yet, as soon as all of it is there.
  [[nodiscard]] virtual std::optional<tile_result> pull() = 0;
  /// Breaches of the handshake so far, told.
  [[nodiscard]] virtual const std::vector<std::string>& errors() const = 0;
};

}  // namespace hardware
