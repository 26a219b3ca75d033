// SPDX-License-Identifier: Apache-2.0
// sim/train/thread_limit.h: whether the process may have the threads that a run wants.
#pragma once

namespace sim {

/// Makes so many threads at once, and lets them end: the pool that makes them later, some from within
/// others, has no way to report that it cannot.
///   errors  run_error naming the limits and --threads
void expect_threads(int count);

}  // namespace sim
