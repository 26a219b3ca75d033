// SPDX-License-Identifier: Apache-2.0
// sim/train/limited_threads.h: work on the threads of a run.
#pragma once
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cstddef>

namespace sim {

/// The work's result, computed on at most this many threads, and on no more than the machine has.
template <class Work>
auto on_threads(int threads, const Work& work) {
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                  static_cast<std::size_t>(threads));
  // A separate arena: one for a single thread never requests a second one, not even at its end.
  tbb::task_arena arena(std::min(threads, tbb::this_task_arena::max_concurrency()));
  return arena.execute(work);
}

}  // namespace sim
