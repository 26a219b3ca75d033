// SPDX-License-Identifier: Apache-2.0
// golden/validator/tensor/tensor_scale.h: tensor scales that no block can be encoded under.
// Source: mx::is_tensor_scale (mx/block/block_scale.h, D-015).
#pragma once
#include <optional>
#include <string>

#include "prediction.h"

namespace golden::validator {

/// A stored tensor scale that is not a positive finite number, where a hypothesis writes another one.
///   row  of the tensor scale, where rows have their own; else 0
struct unusable_scale {
  std::uint64_t row = 0;
  std::uint32_t expected_bits = 0, found_bits = 0;
};

/// Whether a tensor's file contains such a number, whatever the hypothesis writes.
[[nodiscard]] bool has_unusable_scale(const subject& s);

/// The first one, with the hypothesis's value; no value where the file agrees with the recipe.
[[nodiscard]] std::optional<unusable_scale> unusable_scale_in(const prediction& p);

/// "0x7fc00000 (NaN) of row 3, expected 0x3b124925 (0.0022321429)"
[[nodiscard]] std::string text_of(const unusable_scale& u);

}  // namespace golden::validator
