// SPDX-License-Identifier: Apache-2.0
// tests/unit/tensor/flushed_to_zero.h: a calling program that flushes subnormals to zero.
#pragma once
#include <thread>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace tests {

#if defined(__SSE2__)

/// Flushes subnormal operands and results to zero, as a calling program may have configured.
class flushed_to_zero {
 public:
  flushed_to_zero() : before_(_mm_getcsr()) { _mm_setcsr(before_ | 0x8040); }
  ~flushed_to_zero() { _mm_setcsr(before_); }
  flushed_to_zero(const flushed_to_zero&) = delete;
  flushed_to_zero& operator=(const flushed_to_zero&) = delete;

 private:
  unsigned before_;
};

/// Calls work() in a thread of its own: tasks inherit the settings that their thread had at its first
/// use of the scheduler.
template <class Work>
void in_a_flushing_host(const Work& work) {
  std::thread host([&work] {
    const flushed_to_zero scope;
    work();
  });
  host.join();
}

#else

template <class Work>
void in_a_flushing_host(const Work& work) {
  work();
}

#endif

}  // namespace tests
