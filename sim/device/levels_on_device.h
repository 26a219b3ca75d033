// SPDX-License-Identifier: Apache-2.0
// sim/device/levels_on_device.h: rows of the levels of a tree of leaves, copied to a device for one
// call and back.
#pragma once
#include <vector>

#include "sim/device/lane.h"

namespace sim {

/// The rows of a tree's levels that a call adds leaves to.
///   levels  whole ones, on the host      first, count  of the leaves
struct level_rows {
  float* const* levels;
  int row_begin, rows, n;
  int first, count;

  [[nodiscard]] std::size_t size() const {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(n);
  }
};

class levels_on_device {
 public:
  /// Copies those that hold sums before the call to the lane's `result`.
  levels_on_device(lane& own, const level_rows& of);

  /// Where the levels lie, lowest first.
  [[nodiscard]] const std::vector<float*>& addresses() const noexcept { return addresses_; }
  /// Copies those that hold sums behind the call back.
  void return_to_host() const;

 private:
  [[nodiscard]] float* host_level(std::size_t level) const {
    return of_.levels[level] + std::ptrdiff_t{of_.row_begin} * of_.n;
  }

  lane& own_;
  level_rows of_;
  std::vector<float*> addresses_;
};

}  // namespace sim
