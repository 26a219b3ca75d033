// SPDX-License-Identifier: Apache-2.0
// golden/validator/places/places.h: where a kernel's bytes differ: rows, columns and blocks.
#pragma once
#include "pattern.h"

namespace golden::validator {

/// Differing places of a matrix.
struct matrix_places {
  std::uint64_t count = 0;
  axis_places rows, columns;
};

/// Places of all differences of a tensor. Its rows are those along its last axis, one after the
/// other; scales are at the rows and columns of their grid, which is the tensor with blocks in
/// place of elements.
///   blocks     with a difference
///   codes      of elements of the tensor; padding is counted separately
///   positions  of codes in their block, row by row
///   above      elements under a tensor scale or a macro fraction that differs, unless all are; its
///              count is of these numbers
///   elements   whose code, block scale, tensor scale or macro fraction differs
///   is_across  whether blocks run along the last axis
///   is_tiled   whether scales lie in tiles of 128x4 of these rows and columns
///   array      of the places if not codes and scales of the first pass: "residual."
///   above_noun  "tensor scale" or "macro fraction"
struct places {
  std::uint64_t blocks = 0, padding = 0;
  matrix_places codes, scales, above, elements;
  axis_places positions;
  std::uint64_t block_rows = 1, block_columns = 1;
  bool is_across = true, is_tiled = false;
  const char* array = "";
  const char* above_noun = "tensor scale";

  [[nodiscard]] bool empty() const { return blocks == 0 && above.count == 0; }
};

}  // namespace golden::validator
