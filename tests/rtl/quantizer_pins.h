// SPDX-License-Identifier: Apache-2.0
// tests/rtl/quantizer_pins.h: how a quantizer in hardware is told what to do.
#pragma once
#include "mx/rounding.h"

namespace rtl {

/// mx_pkg::RoundTiesToEven, RoundStochastic, RoundTowardZero; not for other roundings.
inline std::uint8_t rounding_pins(mx::rounding how) {
  return how == mx::rounding::ties_to_even ? 1 : (how == mx::rounding::stochastic ? 2 : 0);
}

}  // namespace rtl
