// SPDX-License-Identifier: Apache-2.0
// tests/rtl/quantizer_words.h: blocks for a quantizer in hardware, made where its decisions fall.
#pragma once
#include <string>
#include <vector>

#include "rtl_models/systemc/quantizer_block.h"

namespace rtl {

using hardware::block_size, hardware::deadzone, hardware::quantized_block, hardware::quantizer_kind;

/// What a quantizer is given, and what it is made for.
struct quantizer_word : hardware::quantizer_operands {
  const char* kind = "";
};

/// Words, `count` of each kind. They depend on what the quantizer is made for, and on the count.
[[nodiscard]] std::vector<quantizer_word> quantizer_words(const quantizer_kind& made, int count);

}  // namespace rtl
