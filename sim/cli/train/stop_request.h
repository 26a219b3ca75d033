// SPDX-License-Identifier: Apache-2.0
// sim/cli/train/stop_request.h: a signal stops a run at its next step.
#pragma once
#include <atomic>

namespace sim::cli {

/// The number of the signal; 0 so far.
[[nodiscard]] const std::atomic<int>& requested_stop();

/// Handles SIGINT and SIGTERM, unless they are ignored; a second one of either ends the program at
/// once.
void stop_at_next_step_on_signals();

}  // namespace sim::cli
