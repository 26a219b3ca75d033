// SPDX-License-Identifier: Apache-2.0
// sim/sweep/point_list.h: the points that a sweep measures, and those that it leaves out.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "sim/sweep/sweep_point.h"
#include "sim/sweep/sweep_study.h"

namespace sim {

/// Points left out for one reason.
struct left_out {
  std::size_t count = 0;
  std::string example;  ///< the words of the first one
};

///   combinations  of the axes' values that were looked at
///   repeated      that are the same quantizer as an earlier one
struct point_list {
  std::vector<sweep_point> points;
  std::map<std::string, left_out> refused;
  std::size_t combinations = 0, repeated = 0;
};

/// The points of a sweep, in the order of its grids, the last axis fastest; of a random search in
/// the order of drawing.
///   errors  input_error: no point is left, too many combinations, or one makes no sense and the
///           study refuses those
[[nodiscard]] point_list points_of(const sweep_study& s);

/// Leaves points out.
///   refusal  why a point cannot be measured; empty if it can
///   errors   input_error: no point is left, or the study refuses those that make no sense
void leave_out(point_list& list, const sweep_study& s,
               const std::function<std::string(const sweep_point&)>& refusal);

/// "scale=e8m0 block=32"
[[nodiscard]] std::string text_of(const point_words& words);

}  // namespace sim
