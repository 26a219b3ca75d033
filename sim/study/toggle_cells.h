// SPDX-License-Identifier: Apache-2.0
// sim/study/toggle_cells.h: the arms in which scale, deadzone and grid are switched on one by one.
#pragma once
#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "sim/study/statistics.h"
#include "sim/study/study.h"

namespace sim {

/// The arms of the eight cells under one meaning of a toggle, in the order of cell_names.
struct toggle_cells {
  const char* meaning;
  std::array<const char*, cells> arms;

  [[nodiscard]] const char* reference() const noexcept { return arms.front(); }
  [[nodiscard]] const char* whole() const noexcept { return arms.back(); }
  /// Of one part alone: 0 scale, 1 deadzone, 2 grid.
  [[nodiscard]] const char* part(std::size_t i) const noexcept { return arms[std::size_t{1} << i]; }
};

/// Operation with the scale alone is the identity, and without the scale it equals injection, so
/// those cells are shared.
inline constexpr std::array<toggle_cells, 2> both_meanings{
    {{"injection", {"fp32", "inj-s", "inj-d", "inj-sd", "inj-g", "inj-sg", "inj-dg", "mxfp4"}},
     {"operation", {"fp32", "fp32", "inj-d", "op-sd", "inj-g", "op-sg", "inj-dg", "mxfp4"}}}};

/// The study's arm of that name; null if it has none.
[[nodiscard]] inline const arm* find_arm(const study& s, std::string_view name) {
  const auto found = std::ranges::find(s.arms, name, &arm::name);
  return found == s.arms.end() ? nullptr : &*found;
}

/// The study's arm of a cell, by the index of its name; null if it has none, or if that is not the
/// whole's arithmetic with the cell's parts of the error alone. Null too where the whole has other
/// parts: it must be plain MXFP4 or FP32 in every operand, under a rule that never clips.
[[nodiscard]] const arm* cell_arm(const study& s, const toggle_cells& meaning, std::size_t cell);

/// Why the study's cells are not compared although it has them by name, as a clause; empty where
/// they are, or where it has none.
[[nodiscard]] std::string why_not_compared(const study& s);

}  // namespace sim
