// SPDX-License-Identifier: Apache-2.0
// kernels/verify/case_watch.cpp: the thread that waits for a deadline.
#include "case_watch.h"

#include <utility>

namespace mx::kernels {

case_watch::case_watch(std::chrono::duration<double> limit, std::function<void()> on_expiry)
    : limit_(limit), on_expiry_(std::move(on_expiry)), thread_([this] { watch(); }) {}

case_watch::~case_watch() {
  {
    const std::lock_guard lock(changing_);
    state_ = state::ended;
  }
  changed_.notify_one();
  thread_.join();
}

void case_watch::begin() {
  const std::lock_guard lock(changing_);
  deadline_ = clock::now() + std::chrono::duration_cast<clock::duration>(limit_);
  changed_.notify_one();
}

void case_watch::end() {
  const std::lock_guard lock(changing_);
  deadline_ = clock::time_point::max();
}

void case_watch::watch() {
  std::unique_lock lock(changing_);
  while (state_ == state::waiting) {
    if (deadline_ == clock::time_point::max()) {
      changed_.wait(lock);
      continue;
    }
    changed_.wait_until(lock, deadline_);
    if (state_ != state::waiting || clock::now() < deadline_) continue;
    lock.unlock();
    on_expiry_();
    return;
  }
}

}  // namespace mx::kernels
