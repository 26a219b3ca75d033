// SPDX-License-Identifier: Apache-2.0
// sim/cli/terminal/progress_bar.h: a progress bar on standard error during long work, if that is a
// terminal.
#pragma once
#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

namespace sim::cli {

/// Redraws itself at most ten times a second; the destructor erases it.
class progress_bar {
 public:
  ///   total  units of work; 0 draws nothing
  progress_bar(std::string what, std::uint64_t total);
  ~progress_bar();
  progress_bar(const progress_bar&) = delete;
  progress_bar& operator=(const progress_bar&) = delete;

  /// Counts finished units; callable from any thread.
  void advance(std::uint64_t units);

 private:
  void draw(std::uint64_t done);

  std::string what_;
  std::uint64_t total_;
  bool on_terminal_;
  bool drawn_ = false;
  std::atomic<std::uint64_t> done_{0};
  std::mutex drawing_;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace sim::cli
