// SPDX-License-Identifier: Apache-2.0
// golden/probe/search_progress.h: reports of finished work, in thousandths of a search.
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>

namespace golden::probe {

/// Called with finished thousandths, from any thread; may be empty.
using search_progress = std::function<void(std::uint64_t)>;

/// One stage of a search: its thousandths spread over its items; the rest at the end.
class search_stage {
 public:
  search_stage(const search_progress& progress, std::uint64_t thousandths, std::uint64_t items)
      : progress_(progress), thousandths_(thousandths), items_(items) {}
  ~search_stage() { report(thousandths_); }
  search_stage(const search_stage&) = delete;
  search_stage& operator=(const search_stage&) = delete;

  /// Counts a finished item.
  void advance() {
    const std::uint64_t done = done_.fetch_add(1) + 1;
    if (done < items_) report(thousandths_ * done / items_);
  }

 private:
  void report(std::uint64_t reached) {
    std::uint64_t before = reported_.load();
    while (before < reached && !reported_.compare_exchange_weak(before, reached)) {
    }
    if (progress_ && before < reached) progress_(reached - before);
  }

  const search_progress& progress_;
  std::uint64_t thousandths_, items_;
  std::atomic<std::uint64_t> done_{0}, reported_{0};
};

}  // namespace golden::probe
