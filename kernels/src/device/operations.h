// SPDX-License-Identifier: Apache-2.0
// kernels/src/device/operations.h: operations with a device instruction, and their CPU
// equivalents. Has not run on its hardware.
#pragma once
#include "mx/block/energy.h"

namespace mx::kernels {

/// The larger of two magnitudes; NaN if either is NaN.
[[nodiscard]] MX_HD inline float larger_magnitude(float a, float b) noexcept {
#if defined(__CUDA_ARCH__)
  float larger;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(larger) : "f"(fabsf(a)), "f"(fabsf(b)));
  return larger;
#else
  const std::uint32_t first = bits_of(a) & 0x7FFFFFFF, second = bits_of(b) & 0x7FFFFFFF;
  return float_of(first > second ? first : second);
#endif
}

/// The larger and the smaller of two numbers, neither NaN nor -0.
[[nodiscard]] MX_HD inline float larger_number(float a, float b) noexcept {
#if defined(__CUDA_ARCH__)
  return fmaxf(a, b);
#else
  return a > b ? a : b;
#endif
}
[[nodiscard]] MX_HD inline float smaller_number(float a, float b) noexcept {
#if defined(__CUDA_ARCH__)
  return fminf(a, b);
#else
  return a < b ? a : b;
#endif
}

/// 1 / x, or an adjacent number: the device's is off by one unit in the last place.
///   x  normal, with a normal 1 / x
[[nodiscard]] MX_HD inline float rough_reciprocal(float x) noexcept {
#if defined(__CUDA_ARCH__)
  float result;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
#else
  return 1 / x;
#endif
}

/// sum + a b, rounded once, if `has`.
//  The branch around the instruction compiles to a predicate; a conditional expression would
//  compile to two selections after it.
MX_HD inline void add_where(bool has, double& sum, double a, double b) noexcept {
#if defined(__CUDA_ARCH__)
  asm("{\n\t.reg .pred none;\n\tsetp.eq.s32 none, %3, 0;\n\t@none bra without;\n\t"
      "fma.rn.f64 %0, %1, %2, %0;\nwithout:\n\t}"
      : "+d"(sum)
      : "d"(a), "d"(b), "r"(static_cast<int>(has)));
#else
  if (has) sum = fused_multiply_add(a, b, sum);
#endif
}

/// count + 1 if `has`.
MX_HD inline void count_where(bool has, std::uint32_t& count) noexcept {
#if defined(__CUDA_ARCH__)
  asm("{\n\t.reg .pred none;\n\tsetp.eq.s32 none, %1, 0;\n\t@none bra without;\n\t"
      "add.u32 %0, %0, 1;\nwithout:\n\t}"
      : "+r"(count)
      : "r"(static_cast<int>(has)));
#else
  count += has ? 1 : 0;
#endif
}

}  // namespace mx::kernels
