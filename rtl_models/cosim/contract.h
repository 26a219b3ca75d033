// SPDX-License-Identifier: Apache-2.0
// rtl_models/cosim/contract.h: what a unit in a co-simulation has to offer: operands go in, results
// come out in the same order, and what it did wrong on the way can be asked for.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "rtl_models/systemc/quantizer_block.h"
#include "rtl_models/systemc/tile.h"

namespace hardware {

template <class Operands, class Result>
class backend {
 public:
  virtual ~backend() = default;

  /// Of a kind, for reports and command lines: "cycles", "verilated", "emulator".
  [[nodiscard]] virtual const std::string& label() const = 0;
  /// Puts the operands behind those that wait on its streams.
  virtual void push(const Operands& operands) = 0;
  /// The result of the oldest operands that was not pulled yet, as soon as all of it is there.
  [[nodiscard]] virtual std::optional<Result> pull() = 0;
  /// Breaches of the handshake so far, told.
  [[nodiscard]] virtual const std::vector<std::string>& errors() const = 0;
};

/// D of a tile, row by row.
using tile_result = std::array<std::uint32_t, std::size_t{tile_shape::elements}>;

/// Of mx_tensor_core and of mx_quantizer.
using tile_backend = backend<tile, tile_result>;
using quantizer_backend = backend<quantizer_operands, quantized_block>;

}  // namespace hardware
