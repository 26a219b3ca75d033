// SPDX-License-Identifier: Apache-2.0
// kernels/verify/case_watch.h: a time limit of a case. A hung kernel cannot be ended from within
// its process, so the action on expiry must end it.
#pragma once
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace mx::kernels {

/// A thread that calls an action if a case runs for longer than its limit.
class case_watch {
 public:
  ///   limit      of each case
  ///   on_expiry  called at most once, by this object's thread
  case_watch(std::chrono::duration<double> limit, std::function<void()> on_expiry);
  case_watch(const case_watch&) = delete;
  case_watch& operator=(const case_watch&) = delete;
  ~case_watch();

  void begin();
  void end();

 private:
  using clock = std::chrono::steady_clock;
  void watch();

  std::chrono::duration<double> limit_;
  std::function<void()> on_expiry_;
  std::mutex changing_;
  std::condition_variable changed_;
  clock::time_point deadline_ = clock::time_point::max();
  enum class state : unsigned char { waiting, ended } state_ = state::waiting;
  std::thread thread_;
};

}  // namespace mx::kernels
