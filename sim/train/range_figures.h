// SPDX-License-Identifier: Apache-2.0
// sim/train/range_figures.h: running minimum, mean and maximum.
#pragma once
#include <algorithm>

namespace sim {

struct range_figures {
  double least = 0, most = 0, sum = 0;
  int count = 0;
  void take(double value) {
    least = count == 0 ? value : std::min(least, value);
    most = count == 0 ? value : std::max(most, value);
    sum += value;
    ++count;
  }
  [[nodiscard]] double mean() const { return sum / count; }
};

}  // namespace sim
