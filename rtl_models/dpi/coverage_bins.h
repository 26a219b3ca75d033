// SPDX-License-Identifier: Apache-2.0
// rtl_models/dpi/coverage_bins.h: named counters in a fixed order, grouped into points: what was
// hit of each, and what was not.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace hardware {

/// Every label of the first list combined with every one of the second, "first.second".
[[nodiscard]] std::vector<std::string> crossed(const std::vector<std::string>& first,
                                               const std::vector<std::string>& second);

class coverage_bins {
 public:
  ///   name  of its point and its label in it: "align.group.F+1.kept"
  struct bin {
    std::string name;
    std::uint64_t count = 0;
  };

  /// Adds a point with a bin for each label. Returns the index of the first.
  [[nodiscard]] int add_point(const std::string& name, const std::vector<std::string>& labels);

  void hit(int index) noexcept { ++bins_[static_cast<std::size_t>(index)].count; }

  /// Adds the counts of another run. Returns false, adding nothing, if the bins differ.
  [[nodiscard]] bool merge(const coverage_bins& other);

  [[nodiscard]] const std::vector<bin>& all() const noexcept { return bins_; }
  /// Count of a bin; 0 for an unknown name.
  [[nodiscard]] std::uint64_t count_of(const std::string& name) const;
  /// Names of the bins without hits, in order.
  [[nodiscard]] std::vector<std::string> holes() const;

  /// A line for each point with its share of bins hit, followed by a line for each hole.
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
