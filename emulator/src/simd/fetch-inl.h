// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/fetch-inl.h: prefetches of what a pass over memory reads later, also beyond its
// end; included once for each target.
#if defined(MX_SIMD_FETCH_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_FETCH_INL_H
#undef MX_SIMD_FETCH_INL_H
#else
#define MX_SIMD_FETCH_INL_H
#endif

#include <cstdint>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {

constexpr std::uintptr_t fetched_line = 64, fetched_page = 4096;

/// Lines into the second-level cache, which supports many more outstanding requests than the first.
/// Distances of whole pages cost a tenth of the speed.
///   x, bytes  that the pass is at      ahead  in bytes
HWY_INLINE void fetch_lines(const void* x, std::uint64_t bytes, std::uintptr_t ahead) {
  const auto at = reinterpret_cast<std::uintptr_t>(x) + ahead;
  for (std::uint64_t line = 0; line < bytes; line += fetched_line) {
    __builtin_prefetch(reinterpret_cast<const void*>(at + line), 0, 2);
  }
}

/// One line of a page, into the first level, when the pass enters a page: its lines are fetched
/// later, and would all wait for the page's translation. Without it MXFP4's pass over pages of 4
/// KiB took 1.1 to
/// 1.5 times as long on an EPYC under a hypervisor, whose translations walk two sets of tables.
///   ahead  in bytes, more than lines are fetched ahead
HWY_INLINE void fetch_page(const void* x, std::uint64_t bytes, std::uintptr_t ahead) {
  const auto at = reinterpret_cast<std::uintptr_t>(x);
  if (at % fetched_page >= bytes) return;
  __builtin_prefetch(reinterpret_cast<const void*>(at + ahead), 0, 3);
}

}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
