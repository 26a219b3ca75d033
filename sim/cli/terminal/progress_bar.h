// SPDX-License-Identifier: Apache-2.0
// sim/cli/terminal/progress_bar.h: progress of long work on standard error: a bar on a terminal,
// else plain lines.
#pragma once
#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

namespace sim::cli {

/// A bar redraws itself at most ten times a second, and the destructor erases it. Lines come at
/// most every 10 % and every 10 seconds, the first one after 10 seconds: short work prints none.
class progress_bar {
 public:
  ///   total  units of work; 0 shows nothing
  progress_bar(std::string what, std::uint64_t total);
  ~progress_bar();
  progress_bar(const progress_bar&) = delete;
  progress_bar& operator=(const progress_bar&) = delete;

  /// Counts finished units; callable from any thread.
  void advance(std::uint64_t units);

 private:
  void draw(double share);
  void print_line(double share);

  std::string what_;
  std::uint64_t total_;
  bool on_terminal_;
  bool drawn_ = false;
  int tenths_ = 0;  ///< of the last line
  std::chrono::milliseconds interval_;
  std::atomic<std::uint64_t> done_{0};
  std::mutex drawing_;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace sim::cli
