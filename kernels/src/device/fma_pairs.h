// SPDX-License-Identifier: Apache-2.0
// kernels/src/device/fma_pairs.h: two fused multiply-adds by one instruction if the device has it.
// The portable equivalent beside it runs elsewhere. Has not run on its hardware.
// Source: PTX ISA, "Floating Point Instructions: fma" (.f32x2, sm_100 and later).
#pragma once
#include "mx/number/bits.h"

namespace mx::kernels {

/// sum[i] = RNE32(a * b[i] + sum[i]), subnormals kept. sm_120 expands the pair to two instructions.
MX_HD inline void add_two_products(float& sum0, float& sum1, float a, float b0, float b1) noexcept {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1000 && __CUDA_ARCH__ < 1100
  asm("{\n\t"
      ".reg .b64 factor, factors, sums;\n\t"
      "mov.b64 factor, {%2, %2};\n\t"
      "mov.b64 factors, {%3, %4};\n\t"
      "mov.b64 sums, {%0, %1};\n\t"
      "fma.rn.f32x2 sums, factor, factors, sums;\n\t"
      "mov.b64 {%0, %1}, sums;\n\t}"
      : "+f"(sum0), "+f"(sum1)
      : "f"(a), "f"(b0), "f"(b1));
#else
  sum0 = fused_multiply_add(a, b0, sum0);
  sum1 = fused_multiply_add(a, b1, sum1);
#endif
}

}  // namespace mx::kernels
