// SPDX-License-Identifier: Apache-2.0
// sim/policy/whole_loop.cpp: see whole_loop.h.
#include "sim/policy/whole_loop.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_group.h>

#include <exception>
#include <mutex>
#include <stdexcept>

namespace sim {
namespace {

/// The exception of the lowest index.
class first_exception {
 public:
  void keep(std::ptrdiff_t index) {
    const std::scoped_lock lock(keeping_);
    if (exception_ != nullptr && index_ < index) return;
    index_ = index;
    exception_ = std::current_exception();
  }
  void raise() const {
    if (exception_ != nullptr) std::rethrow_exception(exception_);
  }

 private:
  std::mutex keeping_;
  std::ptrdiff_t index_ = 0;
  std::exception_ptr exception_;
};

/// When an exception leaves a loop, TBB cancels all loops bound to the same context or to one below
/// it, and these return as if complete. A call in a context of its own is not affected.
void run_apart(const std::function<void(std::ptrdiff_t)>& work, std::ptrdiff_t index) {
  tbb::task_group_context own(tbb::task_group_context::isolated);
  tbb::task_group group(own);
  if (group.run_and_wait([&] { work(index); }) == tbb::complete) return;
  throw std::logic_error("a parallel loop was cancelled from outside");
}

}  // namespace

void whole_loop(std::ptrdiff_t count, const std::function<void(std::ptrdiff_t)>& work) {
  first_exception first;
  tbb::task_group_context own(tbb::task_group_context::isolated);
  tbb::parallel_for(
      tbb::blocked_range<std::ptrdiff_t>(0, count, 1),
      [&](const tbb::blocked_range<std::ptrdiff_t>& range) {
        for (std::ptrdiff_t i = range.begin(); i < range.end(); ++i) {
          try {
            run_apart(work, i);
          } catch (...) {
            first.keep(i);
          }
        }
      },
      tbb::simple_partitioner(), own);
  first.raise();
}

}  // namespace sim
