// SPDX-License-Identifier: Apache-2.0
// kernels/src/device/native.h: a device thread with Blackwell's FP4 instruction of a warp. Compiled
// for other devices it traps: the launcher does not start it there. Has not run on its
// hardware.
// Source: PTX ISA, "mma" with .block_scale; registers as ptxas 13.0 takes them.
#pragma once
#include "device/architecture.h"
#include "device/thread.h"
#include "gemm/native_mma.h"

namespace mx::kernels {

class native_mma_thread : public device_thread {
 public:
  using device_thread::device_thread;

  /// sum += A B: 16 rows, 8 columns, 64 of k; the words are those of PTX mma.m16n8k64.
  template <native_kind Kind>
  __device__ void mma_block_scaled(float (&sum)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                                   std::uint32_t b1, const scale_operand& scale_a,
                                   const scale_operand& scale_b) const {
#if MX_CODE_HAS_SCALED_MMA
// Registers of D (also C), A and B, and those of scales, each with its selectors.
#define MX_NATIVE_LISTS \
  " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3}, {%10}, {%12,%13}, {%11}, {%14,%15};"
#define MX_NATIVE_REGISTERS                              \
  "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]),              \
      "+f"(sum[3])                                       \
      : "r"(a[0]),                                       \
        "r"(a[1]),                                       \
        "r"(a[2]),                                       \
        "r"(a[3]),                                       \
        "r"(b0),                                         \
        "r"(b1),                                         \
        "r"(scale_a.word),                               \
        "r"(scale_b.word),                               \
        "h"(static_cast<std::uint16_t>(scale_a.byte)),   \
        "h"(static_cast<std::uint16_t>(scale_a.thread)), \
        "h"(static_cast<std::uint16_t>(scale_b.byte)),   \
        "h"(static_cast<std::uint16_t>(scale_b.thread))
    if constexpr (Kind == native_kind::mxf4) {
      asm volatile(
          "mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32"
          ".ue8m0" MX_NATIVE_LISTS
          : MX_NATIVE_REGISTERS);
    } else {
      asm volatile(
          "mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1"
          ".f32.ue4m3" MX_NATIVE_LISTS
          : MX_NATIVE_REGISTERS);
    }
#undef MX_NATIVE_REGISTERS
#undef MX_NATIVE_LISTS
#else
    __trap();
#endif
  }
};

}  // namespace mx::kernels
