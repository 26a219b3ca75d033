// SPDX-License-Identifier: Apache-2.0
// sim/cli/terminal/progress_bar.cpp: one line that is redrawn in place, or several below each
// other.
#include "sim/cli/terminal/progress_bar.h"

#include <unistd.h>

#include <cstdio>
#include <utility>

namespace sim::cli {
namespace {

constexpr auto interval_of_bar = std::chrono::milliseconds(100);
constexpr auto interval_of_lines = std::chrono::seconds(10);
constexpr int bar_width = 30;

}  // namespace

progress_bar::progress_bar(std::string what, std::uint64_t total)
    : what_(std::move(what)),
      total_(total),
      on_terminal_(isatty(STDERR_FILENO) != 0),
      interval_(on_terminal_ ? interval_of_bar : interval_of_lines),
      next_(std::chrono::steady_clock::now() + interval_) {}

progress_bar::~progress_bar() {
  if (drawn_) std::fputs("\r\033[K", stderr);
}

void progress_bar::advance(std::uint64_t units) {
  const std::uint64_t done = done_.fetch_add(units, std::memory_order_relaxed) + units;
  if (total_ == 0) return;
  const std::unique_lock<std::mutex> lock(drawing_, std::try_to_lock);
  if (!lock.owns_lock()) return;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  const double share = static_cast<double>(done) / static_cast<double>(total_);
  if (!on_terminal_ && static_cast<int>(10 * share) <= tenths_) return;
  next_ = now + interval_;
  if (on_terminal_) {
    draw(share);
  } else {
    print_line(share);
  }
}

void progress_bar::draw(double share) {
  const int filled = static_cast<int>(share * bar_width);
  const std::string bar = std::string(static_cast<std::size_t>(filled), '#') +
                          std::string(static_cast<std::size_t>(bar_width - filled), '.');
  std::fprintf(stderr, "\r%s [%s] %3.0f %%\033[K", what_.c_str(), bar.c_str(), 100 * share);
  drawn_ = true;
}

void progress_bar::print_line(double share) {
  tenths_ = static_cast<int>(10 * share);
  std::fprintf(stderr, "%s: %d %%\n", what_.c_str(), 10 * tenths_);
}

}  // namespace sim::cli
