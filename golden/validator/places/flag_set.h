// SPDX-License-Identifier: Apache-2.0
// golden/validator/places/flag_set.h: marked places along one direction, one bit each.
#pragma once
#include <atomic>
#include <bit>
#include <cstdint>
#include <vector>

namespace golden::validator {

/// Any thread may mark; reading requires that none does.
class flag_set {
 public:
  explicit flag_set(std::uint64_t extent) : extent_(extent), words_((extent + 63) / 64) {}

  [[nodiscard]] std::uint64_t extent() const { return extent_; }

  /// Reads first, so that threads seldom write to the same line.
  void mark(std::uint64_t at) {
    const std::uint64_t bit = std::uint64_t{1} << at % 64;
    std::atomic<std::uint64_t>& word = words_[at / 64];
    if ((word.load(std::memory_order_relaxed) & bit) != 0) return;
    word.fetch_or(bit, std::memory_order_relaxed);
  }

  /// Calls work(place) for each marked place in ascending order.
  template <class Work>
  void for_marked(const Work& work) const {
    for (std::uint64_t k = 0; k < words_.size(); ++k) {
      std::uint64_t left = words_[k].load(std::memory_order_relaxed);
      for (; left != 0; left &= left - 1) {
        work(64 * k + static_cast<std::uint64_t>(std::countr_zero(left)));
      }
    }
  }

 private:
  std::uint64_t extent_;
  std::vector<std::atomic<std::uint64_t>> words_;
};

}  // namespace golden::validator
