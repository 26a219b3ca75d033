// SPDX-License-Identifier: Apache-2.0
// tests/unit/host_arithmetic.h: calling programs whose arithmetic is not IEEE 754's default.
#pragma once
#include <tbb/parallel_for.h>

#include <cfenv>
#include <initializer_list>
#include <thread>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace tests {

/// Makes the calling thread flush subnormal operands and results to zero.
inline void flush_subnormals() {
#if defined(__SSE2__)
  _mm_setcsr(_mm_getcsr() | 0x8040);
#elif defined(__aarch64__)
  constexpr unsigned flush_to_zero = 1U << 24;
  __builtin_aarch64_set_fpcr(__builtin_aarch64_get_fpcr() | flush_to_zero);
#else
#error "how does this processor flush subnormals?"
#endif
}

/// Calls work() in a thread that has called set() and used the scheduler: its tasks have the
/// settings that the thread had then.
template <class Set, class Work>
void in_a_host(const Set& set, const Work& work) {
  std::thread host([&] {
    set();
    tbb::parallel_for(0, 64, [](int) {});
    work();
  });
  host.join();
}

template <class Work>
void in_a_flushing_host(const Work& work) {
  in_a_host(flush_subnormals, work);
}

/// Makes the calling thread trap exceptions that quantization raises; returns whether it can.
inline bool trap_exceptions() {
  constexpr int traps = FE_UNDERFLOW | FE_OVERFLOW | FE_DIVBYZERO | FE_INVALID;
  feenableexcept(traps);
  return (fegetexcept() & traps) == traps;
}

/// Calls work() in a host of each kind.
template <class Work>
void in_every_host(const Work& work) {
  in_a_flushing_host(work);
  for (const int direction : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    in_a_host([direction] { std::fesetround(direction); }, work);
  }
  bool traps = false;
  in_a_host([&traps] { traps = trap_exceptions(); }, [] {});
  if (traps) in_a_host(trap_exceptions, work);
}

}  // namespace tests
