// SPDX-License-Identifier: Apache-2.0
// tests/kernels/grid/fiber_stack.h: what ThreadSanitizer must know of fibers: it keeps a stack of
// calls for each, which it cannot follow from one to another by itself.
#pragma once
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace kernels_test {

#if defined(__SANITIZE_THREAD__)

/// The calls of one fiber.
class fiber_stack {
 public:
  fiber_stack() : of_(__tsan_create_fiber(0)) {}
  ~fiber_stack() { __tsan_destroy_fiber(of_); }
  fiber_stack(const fiber_stack&) = delete;
  fiber_stack& operator=(const fiber_stack&) = delete;

  /// Makes the fiber, resumes it or ends it. Calls are told to its stack from before the switch
  /// until after the return, so that each stack sees as many returns as calls.
  template <class Switch>
  void run(const Switch& there_and_back) {
    void* const here = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(of_, 0);
    there_and_back();
    __tsan_switch_to_fiber(here, 0);
  }

 private:
  void* of_;
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
