// SPDX-License-Identifier: Apache-2.0
// tests/rtl/verilated_quantizers.h: modules mx_quantizer_* as C++ objects, with their parameters.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "handshake.h"
#include "quantizer_words.h"

namespace rtl {

using quantizer_module = handshake_module<quantizer_word, quantized_block>;

struct quantizer_entry {
  std::string name;  ///< without mx_quantizer_
  quantizer_kind made;
  std::unique_ptr<quantizer_module> (*make)();
};

[[nodiscard]] const std::vector<quantizer_entry>& quantizers();

}  // namespace rtl
