// SPDX-License-Identifier: Apache-2.0
// tests/train/ranks_in_threads.h: a group of ranks whose processes are threads of this one.
#pragma once
#include <atomic>
#include <barrier>
#include <exception>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "sim/ranks/rank_group.h"

namespace test {

/// What an exchange throws after another rank has left the group.
struct rank_lost : std::runtime_error {
  rank_lost() : std::runtime_error("another rank has left") {}
};

class ranks_in_threads {
 public:
  explicit ranks_in_threads(int size) : meeting_(size) {
    for (int rank = 0; rank < size; ++rank) ranks_.emplace_back(*this, rank);
    sent_.resize(static_cast<std::size_t>(size));
  }

  /// Runs `work` on every rank at once.
  ///   returns  the exception that ended each, or null
  std::vector<std::exception_ptr> run(const std::function<void(const sim::rank_group&)>& work) {
    std::vector<std::exception_ptr> ends(ranks_.size());
    std::vector<std::jthread> threads;
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      threads.emplace_back([&, r] {
        try {
          work(ranks_[r]);
        } catch (...) {
          ends[r] = std::current_exception();
          lost_ = true;
        }
        meeting_.arrive_and_drop();
      });
    }
    threads.clear();
    return ends;
  }

 private:
  struct member final : sim::rank_group {
    member(ranks_in_threads& of, int index) : group(of), number(index) {}
    [[nodiscard]] int rank() const noexcept override { return number; }
    [[nodiscard]] int size() const noexcept override {
      return static_cast<int>(group.ranks_.size());
    }
    [[nodiscard]] std::vector<std::string> gather(std::string_view mine) const override {
      return group.gather(number, mine);
    }

    ranks_in_threads& group;
    int number;
  };

  std::vector<std::string> gather(int rank, std::string_view mine) {
    sent_[static_cast<std::size_t>(rank)] = mine;
    meeting_.arrive_and_wait();
    std::vector<std::string> all = sent_;
    const bool lost = lost_;  // before this exchange: those that end by it do so below
    meeting_.arrive_and_wait();
    if (lost) throw rank_lost();
    return all;
  }

  std::vector<member> ranks_;
  std::vector<std::string> sent_;
  std::barrier<> meeting_;
  std::atomic<bool> lost_ = false;
};

}  // namespace test
