// SPDX-License-Identifier: Apache-2.0
// emulator/src/dot/amx_permission.cpp: queries the processor and the system for AMX.
// Source: Intel 64 and IA-32 Architectures Software Developer's Manual, CPUID leaf 7; Linux,
// Documentation/arch/x86/xstate.rst.
#include "dot/amx_permission.h"

#if defined(__x86_64__) && defined(__linux__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace mx {

bool may_multiply_matrices() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return false;
  constexpr unsigned bf16 = 1U << 22, tile = 1U << 24;
  if ((d & bf16) == 0 || (d & tile) == 0) return false;
  constexpr long request_permission = 0x1023, tile_data = 18;
  return syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
}

}  // namespace mx
#else
namespace mx {
bool may_multiply_matrices() { return false; }
}  // namespace mx
#endif
