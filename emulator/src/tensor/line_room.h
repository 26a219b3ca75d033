// SPDX-License-Identifier: Apache-2.0
// emulator/src/tensor/line_room.h: space for one vector and the results of mx::quantize_line.
#pragma once
#include <vector>

#include "mx/block/corrected_quantizer.h"

namespace mx {

/// Codes, scales and factors of one pass.
struct pass_room {
  std::vector<std::uint8_t> codes;
  std::vector<std::uint32_t> scales;
  std::vector<std::uint16_t> factors;

  [[nodiscard]] coded_line line() { return {codes.data(), scales.data(), factors.data()}; }
};

struct line_room {
  std::vector<float> x, values, scratch;
  pass_room first, residual;

  line_room(std::uint64_t elements, std::uint64_t blocks, std::uint64_t macro_blocks)
      : x(elements),
        values(elements),
        scratch(elements),
        first(pass(elements, blocks, macro_blocks)),
        residual(first) {}

  [[nodiscard]] coded_passes passes() { return {first.line(), residual.line()}; }

 private:
  static pass_room pass(std::uint64_t elements, std::uint64_t blocks, std::uint64_t macro_blocks) {
    return {std::vector<std::uint8_t>(elements), std::vector<std::uint32_t>(blocks),
            std::vector<std::uint16_t>(macro_blocks)};
  }
};

}  // namespace mx
