// SPDX-License-Identifier: Apache-2.0
// sim/cli/train/stop_request.cpp: see stop_request.h.
#include "sim/cli/train/stop_request.h"

#include <array>
#include <csignal>

#include "sim/cli/terminal/interruption.h"

namespace sim::cli {
namespace {

constinit std::atomic<int> stop_signal{0};
static_assert(std::atomic<int>::is_always_lock_free, "it is set by a signal handler");

constexpr std::array stopping{SIGINT, SIGTERM};

void stop_at_next_step(int signal) {
  stop_signal.store(signal);
  for (const int next : stopping) std::signal(next, end_on_signal);
}

}  // namespace

const std::atomic<int>& requested_stop() { return stop_signal; }

void stop_at_next_step_on_signals() {
  for (const int signal : stopping) {
    if (std::signal(signal, stop_at_next_step) == SIG_IGN) std::signal(signal, SIG_IGN);
  }
}

}  // namespace sim::cli
