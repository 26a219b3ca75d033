// SPDX-License-Identifier: Apache-2.0
// sim/train/thread_limit.h: the threads that a run needs, and whether the process may create them.
#pragma once
#include "sim/study/study.h"

namespace sim {

/// Threads of a run: as many as it says, or as the machine has.
[[nodiscard]] int threads_of(const execution& run);

/// Creates this many threads at once, and lets them end: the pool, which creates them later, some
/// from within others, has no way to report a failure.
///   errors  run_error naming the limits and --threads
void expect_threads(int count);

}  // namespace sim
