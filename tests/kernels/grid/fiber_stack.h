// SPDX-License-Identifier: Apache-2.0
// tests/kernels/grid/fiber_stack.h: what ThreadSanitizer must know of fibers: it keeps a stack of
// calls for each, which it cannot follow from one to another by itself.
#pragma once
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>

#include <vector>
#endif

namespace kernels_test {

#if defined(__SANITIZE_THREAD__)

/// The calls of one fiber. Making a stack takes longer than the life of most fibers, so that they
/// are used again: a thousand times, since the first calls of a fiber never return.
class fiber_stack {
 public:
  fiber_stack() : of_(taken()) {}
  ~fiber_stack() {
    if (++of_.lives < most_lives) {
      free_stacks().push_back(of_);
    } else {
      __tsan_destroy_fiber(of_.fiber);
    }
  }
  fiber_stack(const fiber_stack&) = delete;
  fiber_stack& operator=(const fiber_stack&) = delete;

  /// Makes the fiber, resumes it or ends it. Calls are told to its stack from before the switch
  /// until after the return, so that each stack sees as many returns as calls.
  template <class Switch>
  void run(const Switch& there_and_back) {
    void* const here = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(of_.fiber, 0);
    there_and_back();
    __tsan_switch_to_fiber(here, 0);
  }

 private:
  static constexpr int most_lives = 1000;
  struct stack {
    void* fiber;
    int lives;
  };
  /// Those of the thread, which lives as long as the process.
  static std::vector<stack>& free_stacks() {
    static thread_local std::vector<stack> stacks;
    return stacks;
  }
  static stack taken() {
    std::vector<stack>& stacks = free_stacks();
    if (stacks.empty()) return {__tsan_create_fiber(0), 0};
    const stack last = stacks.back();
    stacks.pop_back();
    return last;
  }

  stack of_;
};

#else

/// Nothing to tell.
class fiber_stack {
 public:
  template <class Switch>
  void run(const Switch& there_and_back) {
    there_and_back();
  }
};

#endif

}  // namespace kernels_test
