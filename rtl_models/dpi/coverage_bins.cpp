// SPDX-License-Identifier: Apache-2.0
// rtl_models/dpi/coverage_bins.cpp: named counters.
#include "rtl_models/dpi/coverage_bins.h"

#include <algorithm>

namespace hardware {

std::vector<std::string> crossed(const std::vector<std::string>& first,
                                 const std::vector<std::string>& second) {
  std::vector<std::string> labels;
  for (const std::string& left : first) {
    for (const std::string& right : second) labels.push_back(left + "." + right);
  }
  return labels;
}

int coverage_bins::add_point(const std::string& name, const std::vector<std::string>& labels) {
  points_.push_back({name, bins_.size(), labels.size()});
  for (const std::string& label : labels) bins_.push_back({name + "." + label});
  return static_cast<int>(points_.back().first);
}

bool coverage_bins::merge(const coverage_bins& other) {
  const auto same = [](const bin& x, const bin& y) { return x.name == y.name; };
  if (!std::ranges::equal(bins_, other.bins_, same)) return false;
  for (std::size_t i = 0; i < bins_.size(); ++i) bins_[i].count += other.bins_[i].count;
  return true;
}

std::uint64_t coverage_bins::count_of(const std::string& name) const {
  const auto found = std::ranges::find(bins_, name, &bin::name);
  return found == bins_.end() ? 0 : found->count;
}

std::vector<std::string> coverage_bins::holes() const {
  std::vector<std::string> names;
  for (const bin& each : bins_) {
    if (each.count == 0) names.push_back(each.name);
  }
  return names;
}

std::string coverage_bins::report() const {
  std::string text;
  for (const point& each : points_) {
    std::size_t hits = 0;
    std::string missing;
    for (std::size_t i = each.first; i < each.first + each.count; ++i) {
      if (bins_[i].count > 0) {
        ++hits;
      } else {
        missing += "  hole " + bins_[i].name + "\n";
      }
    }
    text += each.name + ": " + std::to_string(hits) + " of " + std::to_string(each.count) +
            " bins hit\n" + missing;
  }
  return text;
}

}  // namespace hardware
