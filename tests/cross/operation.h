// SPDX-License-Identifier: Apache-2.0
// tests/cross/operation.h: an operation of a backend on a vector, as a value.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "golden/reference/components.h"
#include "golden/reference/corrections.h"

namespace cross {

///   codes       scale byte and codes of one block
///   quantize    the FP32 values of these, of any number of blocks
///   inject      x plus chosen parts of the error
///   operate     chosen stages of the quantizer
///   correct     macro-block scaling, outlier fallback, or both
enum class verb : unsigned char { codes, quantize, inject, operate, correct };

struct operation {
  cross::verb verb = verb::quantize;
  golden::scale_rule rule = golden::scale_rule::rceil;
  golden::component parts = golden::component::none;  ///< inject, operate
  std::optional<golden::macro_block_shape> macro = {};
  float alpha = 0.0F;  ///< of the fallback; 0: none
};

inline constexpr golden::scale_rule both_rules[] = {golden::scale_rule::floor,
                                                    golden::scale_rule::rceil};

/// codes, quantize, every injection and every operator, under one rule.
[[nodiscard]] std::vector<operation> block_operations(golden::scale_rule rule);

/// quantize, and toggles that together include every part of the error.
[[nodiscard]] std::vector<operation> few_block_operations(golden::scale_rule rule);

/// Macro blocks of several shapes, the fallback with several weights, and both.
[[nodiscard]] std::vector<operation> vector_operations(golden::scale_rule rule);

/// Its description, as a mismatch prints it.
[[nodiscard]] std::string text_of(const operation& op);

}  // namespace cross
