// SPDX-License-Identifier: Apache-2.0
// tests/unit/tensor/tensor_bytes.h: room for a coded tensor.
#pragma once
#include <cstdint>
#include <vector>

#include "mx/tensor/coded_tensor.h"

namespace tests {

/// All arrays of a tensor under a recipe, in their stored order.
struct tensor_bytes {
  using bytes = std::vector<std::uint8_t>;
  bytes codes, scales, fractions, residual_codes, residual_scales, residual_fractions, above, amax;

  tensor_bytes(const mx::recipe& r, const mx::coded_shape& s)
      : codes(s.codes.bytes(), 0xCC),
        scales(s.scales.bytes(), 0xCC),
        fractions(s.macro_fractions.bytes()),
        above(s.tensor_scales.bytes()),
        amax(s.tensor_scales.bytes()) {
    if (!r.corrections.has_residual()) return;
    residual_codes = codes, residual_scales = scales, residual_fractions = fractions;
  }
  mx::coded_arrays places() {
    return {{codes.data(), scales.data(), fractions.data()},
            {residual_codes.data(), residual_scales.data(), residual_fractions.data()},
            above.data(),
            amax.data()};
  }
  [[nodiscard]] mx::constant_coded_arrays constant() const {
    return {{codes.data(), scales.data(), fractions.data()},
            {residual_codes.data(), residual_scales.data(), residual_fractions.data()},
            above.data(),
            amax.data()};
  }
  friend bool operator==(const tensor_bytes&, const tensor_bytes&) = default;
};

}  // namespace tests
