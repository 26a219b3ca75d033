// SPDX-License-Identifier: Apache-2.0
// golden/validator/mutants/coded_rows.h: a matrix with its codes and scales in the plainest layout,
// so that a bug is a change of a few lines.
#pragma once
#include <cstdint>
#include <vector>

#include "mx/tensor/blocks.h"
#include "mx/tensor/recipe.h"

namespace golden::validator {

/// Rows of numbers, each cut into blocks of one row.
///   rules    scales of at most 8 bits; none or one tensor scale
///   codes    one a byte, (rows, padded())      scales  one a byte, (rows, blocks())
///   order    in which a file holds the codes, whose bytes some bugs mix up
struct coded_rows {
  mx::quantization rules;
  std::uint64_t rows = 0, length = 0;
  std::vector<float> x;
  std::vector<std::uint8_t> codes, scales;
  float tensor_scale = 1;
  mx::code_order order = {};

  [[nodiscard]] std::uint64_t block() const {
    return static_cast<std::uint64_t>(rules.format.columns);
  }
  [[nodiscard]] std::uint64_t blocks() const { return (length + block() - 1) / block(); }
  [[nodiscard]] std::uint64_t padded() const { return blocks() * block(); }
};

/// Computes the codes, scales and tensor scale of t.x under t's rules.
void quantize(coded_rows& t);

/// The same under other rules, or of other numbers, as many as in t.x. The formats stay.
void quantize_as(coded_rows& t, const mx::quantization& rules, const std::vector<float>& x);

/// Takes the scales from other numbers and encodes t.x under them.
void quantize_under_scales_of(coded_rows& t, const std::vector<float>& x);

}  // namespace golden::validator
