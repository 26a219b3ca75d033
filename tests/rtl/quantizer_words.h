// SPDX-License-Identifier: Apache-2.0
// tests/rtl/quantizer_words.h: blocks for a quantizer in hardware, at and beside its decision
// thresholds.
#pragma once
#include <string>
#include <vector>

#include "rtl_models/systemc/quantizer_block.h"

namespace rtl {

using hardware::block_size, hardware::deadzone, hardware::quantized_block, hardware::quantizer_kind;

/// A quantizer's input, and the parameters it is made for.
struct quantizer_word : hardware::quantizer_operands {
  const char* kind = "";
};

/// Words, `count` of each kind. They depend on the quantizer's parameters and on the count.
[[nodiscard]] std::vector<quantizer_word> quantizer_words(const quantizer_kind& made, int count);

}  // namespace rtl
