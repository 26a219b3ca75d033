// SPDX-License-Identifier: Apache-2.0
// sim/train/thread_limit.cpp: see thread_limit.h.
#include "sim/train/thread_limit.h"

#include <fmt/format.h>

#include <algorithm>
#include <latch>
#include <system_error>
#include <thread>
#include <vector>

#include "sim/study/system_failure.h"
#include "sim/train/run.h"

namespace sim {

int threads_of(const execution& run) {
  if (run.threads > 0) return run.threads;
  return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

void expect_threads(int count) {
  std::latch tried(1);
  std::vector<std::jthread> threads;
  try {
    for (int i = 0; i < count; ++i) threads.emplace_back([&] { tried.wait(); });
    tried.count_down();
  } catch (const std::system_error& e) {
    tried.count_down();
    throw run_error(
        "thread {} of {} cannot be made ({}): {}, or choose fewer with --threads; 1 makes none",
        threads.size() + 2, count + 1, e.code().message(), more_threads);
  }
}

}  // namespace sim
