// SPDX-License-Identifier: Apache-2.0
// rtl_models/cosim/contract.h: the interface of a unit in a co-simulation: operands go in, results
// come out in the same order, and protocol violations are recorded.
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

  /// The kind, for reports and command lines: "cycles", "verilated", "emulator".
  [[nodiscard]] virtual const std::string& label() const = 0;
  /// Appends the operands to those queued on its streams.
  virtual void push(const Operands& operands) = 0;
  /// The result of the oldest operands not pulled yet, once it is complete.
  [[nodiscard]] virtual std::optional<Result> pull() = 0;
  /// Reports of handshake violations so far.
  [[nodiscard]] virtual const std::vector<std::string>& errors() const = 0;
};

/// D of a tile, row by row.
using tile_result = std::array<std::uint32_t, std::size_t{tile_shape::elements}>;

/// Of mx_tensor_core and of mx_quantizer.
using tile_backend = backend<tile, tile_result>;
using quantizer_backend = backend<quantizer_operands, quantized_block>;

}  // namespace hardware
