// SPDX-License-Identifier: Apache-2.0
// golden/validator/tensor/tensor_scale.h: stored tensor scales beside those of a hypothesis.
// Source: mx::is_tensor_scale (mx/block/block_scale.h, D-015).
#pragma once
#include <optional>
#include <string>

#include "prediction.h"

namespace golden::validator {

/// A stored tensor scale, where a hypothesis writes another one.
///   row  of the tensor scale, where rows have their own; else 0
struct tensor_scale_pair {
  std::uint64_t row = 0;
  std::uint32_t expected_bits = 0, found_bits = 0;

  /// Whether the stored one is not a positive finite number, so that no block can be encoded
  /// under it.
  [[nodiscard]] bool is_unusable() const;
};

/// Whether a tensor's file contains such a number, whatever the hypothesis writes.
[[nodiscard]] bool has_unusable_scale(const subject& s);

/// The first unusable one, with the hypothesis's value; no value where the file agrees with the
/// recipe.
[[nodiscard]] std::optional<tensor_scale_pair> unusable_scale_in(const prediction& p);

/// The same, and where all are usable the first one that differs.
[[nodiscard]] std::optional<tensor_scale_pair> differing_scale_in(const prediction& p);

/// "0x7fc00000 (NaN) of row 3, expected 0x3b124925 (0.0022321429)"
[[nodiscard]] std::string text_of(const tensor_scale_pair& u);

}  // namespace golden::validator
