// SPDX-License-Identifier: Apache-2.0
// rtl_models/dpi/coverage_bins.h: named counters in a fixed order, which belong to points: what was
// seen of each, and what was not.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace hardware {

/// Every label of the first list with every one of the second, "first.second".
[[nodiscard]] std::vector<std::string> crossed(const std::vector<std::string>& first,
                                               const std::vector<std::string>& second);

class coverage_bins {
 public:
  ///   name  of its point and its label in it: "align.group.F+1.kept"
  struct bin {
    std::string name;
    std::uint64_t count = 0;
  };

  /// A point with a bin for each label. Returns the index of the first.
  [[nodiscard]] int add_point(const std::string& name, const std::vector<std::string>& labels);

  void hit(int index) noexcept { ++bins_[static_cast<std::size_t>(index)].count; }

  /// Adds the counts of another run. False, and nothing is added, where the bins are not the same.
  [[nodiscard]] bool merge(const coverage_bins& other);

  [[nodiscard]] const std::vector<bin>& all() const noexcept { return bins_; }
  /// 0 where there is no such bin too.
  [[nodiscard]] std::uint64_t count_of(const std::string& name) const;
  /// Names of the bins that nothing has hit, in order.
  [[nodiscard]] std::vector<std::string> holes() const;

  /// A line for each point with how much of it was hit, and below it one for each hole.
  [[nodiscard]] std::string report() const;

 private:
  struct point {
    std::string name;
    std::size_t first, count;
  };

  std::vector<point> points_;
  std::vector<bin> bins_;
};

}  // namespace hardware
