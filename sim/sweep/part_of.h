// SPDX-License-Identifier: Apache-2.0
// sim/sweep/part_of.h: a part of a count, in a round of successive halving.
#pragma once
#include <algorithm>
#include <cmath>

namespace sim {

/// share of count, rounded up; at least one.
template <class Count>
[[nodiscard]] Count part_of(Count count, double share) {
  const auto part = static_cast<Count>(std::ceil(static_cast<double>(count) * share));
  return std::min(count, std::max(part, Count{1}));
}

}  // namespace sim
