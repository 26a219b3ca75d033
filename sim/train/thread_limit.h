// SPDX-License-Identifier: Apache-2.0
// sim/train/thread_limit.h: whether the process may create the threads that a run needs.
#pragma once

namespace sim {

/// Creates this many threads at once, and lets them end: the pool, which creates them later, some
/// from within others, has no way to report a failure.
///   errors  run_error naming the limits and --threads
void expect_threads(int count);

}  // namespace sim
