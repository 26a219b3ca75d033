// SPDX-License-Identifier: Apache-2.0
// emulator/src/dot/step_tile.h: a tile of sums between codes of a model's results and the numbers
// of the kernels of dot/step_kernels.h, with the elements that these leave to the core.
#pragma once
#include <cstdint>

#include "dot/step_kernels.h"

namespace mx {

/// A code of binary32 or binary16 as binary32, and back.
[[nodiscard]] float step_number(const format& result, std::uint32_t code);
[[nodiscard]] std::uint32_t step_code(const format& result, float number);

/// Whether kernels cannot begin or go on with a sum: -0, a subnormal, Inf, NaN.
[[nodiscard]] bool is_irregular_number(float number);

/// Elements and steps of tiles that were left to the core since the program began.
void count_steps_by_core(std::int64_t steps);

/// A tile of sums, and a bit for each of its elements that the core must compute from its start.
class step_tile {
 public:
  explicit step_tile(int columns) : columns_(columns) {}

  [[nodiscard]] float* values() { return values_; }
  [[nodiscard]] std::uint32_t irregular(int row) const { return irregular_[row]; }

  /// `count` codes of a row; the others are +0.
  void take(const format& result, int row, int count, const std::uint32_t* codes);
  /// The codes of a row.
  void give(const format& result, int row, int count, std::uint32_t* codes) const;
  void mark(int row, std::uint32_t columns) { irregular_[row] |= columns; }
  /// Takes the code of a step that the core computed.
  [[nodiscard]] float continued(const format& result, int row, int column, std::uint32_t code);

 private:
  int columns_;
  alignas(64) float values_[step_kernels::most_rows * step_kernels::most_columns];
  std::uint32_t irregular_[step_kernels::most_rows] = {};
};

}  // namespace mx
