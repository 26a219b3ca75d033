// SPDX-License-Identifier: Apache-2.0
// sim/cli/terminal/progress_bar.cpp: one line that is redrawn in place.
#include "sim/cli/terminal/progress_bar.h"

#include <unistd.h>

#include <cstdio>
#include <utility>

namespace sim::cli {
namespace {

constexpr auto interval = std::chrono::milliseconds(100);
constexpr int bar_width = 30;

}  // namespace

progress_bar::progress_bar(std::string what, std::uint64_t total)
    : what_(std::move(what)),
      total_(total),
      on_terminal_(isatty(STDERR_FILENO) != 0 && total > 0),
      next_(std::chrono::steady_clock::now() + interval) {}

progress_bar::~progress_bar() {
  if (drawn_) std::fputs("\r\033[K", stderr);
}

void progress_bar::advance(std::uint64_t units) {
  const std::uint64_t done = done_.fetch_add(units, std::memory_order_relaxed) + units;
  if (!on_terminal_) return;
  const std::unique_lock<std::mutex> lock(drawing_, std::try_to_lock);
  if (!lock.owns_lock()) return;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  next_ = now + interval;
  draw(done);
}

void progress_bar::draw(std::uint64_t done) {
  const double share = static_cast<double>(done) / static_cast<double>(total_);
  const int filled = static_cast<int>(share * bar_width);
  const std::string bar = std::string(static_cast<std::size_t>(filled), '#') +
                          std::string(static_cast<std::size_t>(bar_width - filled), '.');
  std::fprintf(stderr, "\r%s [%s] %3.0f %%\033[K", what_.c_str(), bar.c_str(), 100 * share);
  drawn_ = true;
}

}  // namespace sim::cli
