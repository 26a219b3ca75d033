// SPDX-License-Identifier: Apache-2.0
// sim/cli/verify/operand_readings.h: A and B of a verified product as other rules quantize or round
// their numbers, which a kernel that does both may follow.
#pragma once
#include <vector>

#include "sim/cli/verify/product_candidates.h"

namespace sim::cli {

/// Every other scale rule of the sides that are quantized, and every other rounding to nearest or
/// toward zero of those that are quantized or rounded: of both sides, of A, and of B. Beside a
/// preset, whose rules are its own, each is refused when it is asked for operands.
///   candidate  the declared one, or another whose A and B are told against
[[nodiscard]] std::vector<golden::validator::operand_reading> operand_readings(
    const read_candidate& candidate);

}  // namespace sim::cli
