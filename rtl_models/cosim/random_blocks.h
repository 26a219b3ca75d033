// SPDX-License-Identifier: Apache-2.0
// rtl_models/cosim/random_blocks.h: blocks for comparing quantizers, determined by seed and index.
#pragma once
#include "rtl_models/systemc/quantizer_block.h"

namespace hardware {

/// Block `index` of a seed. Depending on the index its numbers have random bits, are near each
/// other, at halves and quarters of codes, subnormal, or partly NaN and Inf; all rules, roundings
/// and factors.
[[nodiscard]] quantizer_operands random_block(const quantizer_kind& made, std::uint32_t seed,
                                              std::uint32_t index);

}  // namespace hardware
