// SPDX-License-Identifier: Apache-2.0
// kernels/record/mma_instructions.h: warp-wide matrix instructions, one type each: what it takes, and
// the instruction. Those of one architecture alone are empty in code for others, which is not launched
// (kernels/record/devices.h).
// Source: PTX ISA, "mma"; architectures as ptxas 13.0 takes them.
// None has run on its hardware yet.
#pragma once
#include "warp_fragments.h"

namespace mx::kernels {

/// Width of a code in its register, k of the instruction, elements to a scale (0: no scales).
struct instruction_shape {
  int bits = 16, k = 16, block = 0;
};

/// Scales of one step, k ascending from the low byte: of row 0 of A and of column 0 of B.
struct step_scales {
  std::uint32_t a = 0, b = 0;
};

// Registers of D, which are C's too, A and B, as every instruction below lists them.
#define MX_MMA_REGISTERS                             \
  "+r"(d.word[0]), "+r"(d.word[1]), "+r"(d.word[2]), \
      "+r"(d.word[3])                                \
      : "r"(a.word[0]),                              \
        "r"(a.word[1]),                              \
        "r"(a.word[2]),                              \
        "r"(a.word[3]),                              \
        "r"(b.word[0]),                              \
        "r"(b.word[1])
#define MX_MMA_LISTS " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3}"

struct mma_f16_f32 {
  static constexpr instruction_shape shape{16, 16};
  static __device__ void run(fragment<4>& d, const fragment<4>& a, const fragment<2>& b,
                             const step_scales&) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32" MX_MMA_LISTS ";"
                 : MX_MMA_REGISTERS);
  }
};

struct mma_bf16_f32 {
  static constexpr instruction_shape shape{16, 16};
  static __device__ void run(fragment<4>& d, const fragment<4>& a, const fragment<2>& b,
                             const step_scales&) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32" MX_MMA_LISTS ";"
                 : MX_MMA_REGISTERS);
  }
};

struct mma_tf32_f32 {
  static constexpr instruction_shape shape{32, 8};
  static __device__ void run(fragment<4>& d, const fragment<4>& a, const fragment<2>& b,
                             const step_scales&) {
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32" MX_MMA_LISTS ";"
                 : MX_MMA_REGISTERS);
  }
};

/// D in two registers, two numbers in each.
struct mma_f16_f16 {
  static constexpr instruction_shape shape{16, 16};
  static __device__ void run(fragment<4>& d, const fragment<4>& a, const fragment<2>& b,
                             const step_scales&) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%4,%5,%6,%7}, {%8,%9}, "
        "{%0,%1};"
        : MX_MMA_REGISTERS);
  }
};

struct mma_e4m3_f32 {
  static constexpr instruction_shape shape{8, 32};
  static __device__ void run(fragment<4>& d, const fragment<4>& a, const fragment<2>& b,
                             const step_scales&) {
#if __CUDA_ARCH__ >= 890
    asm volatile("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32" MX_MMA_LISTS ";"
                 : MX_MMA_REGISTERS);
#endif
  }
};

struct mma_e5m2_f32 {
  static constexpr instruction_shape shape{8, 32};
  static __device__ void run(fragment<4>& d, const fragment<4>& a, const fragment<2>& b,
                             const step_scales&) {
#if __CUDA_ARCH__ >= 890
    asm volatile("mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e5m2.f32" MX_MMA_LISTS ";"
                 : MX_MMA_REGISTERS);
#endif
  }
};

struct mma_e4m3_f16 {
  static constexpr instruction_shape shape{8, 32};
  static __device__ void run(fragment<4>& d, const fragment<4>& a, const fragment<2>& b,
                             const step_scales&) {
#if __CUDA_ARCH__ >= 890
    asm volatile(
        "mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e4m3.f16 {%0,%1}, {%4,%5,%6,%7}, {%8,%9}, "
        "{%0,%1};"
        : MX_MMA_REGISTERS);
#endif
  }
};

struct mma_e5m2_f16 {
  static constexpr instruction_shape shape{8, 32};
  static __device__ void run(fragment<4>& d, const fragment<4>& a, const fragment<2>& b,
                             const step_scales&) {
#if __CUDA_ARCH__ >= 890
    asm volatile(
        "mma.sync.aligned.m16n8k32.row.col.f16.e5m2.e5m2.f16 {%0,%1}, {%4,%5,%6,%7}, {%8,%9}, "
        "{%0,%1};"
        : MX_MMA_REGISTERS);
#endif
  }
};

/// E2M1, a UE8M0 scale for 32.
struct mma_mxf4 {
  static constexpr instruction_shape shape{4, 64, 32};
  static __device__ void run(fragment<4>& d, const fragment<4>& a, const fragment<2>& b,
                             const step_scales& scales) {
#if defined(__CUDA_ARCH_FEAT_SM120_ALL)
    asm volatile(
        "mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32."
        "ue8m0" MX_MMA_LISTS ", {%10}, {0,0}, {%11}, {0,0};"
        : MX_MMA_REGISTERS, "r"(scales.a), "r"(scales.b));
#endif
  }
};

/// E2M1, a UE4M3 scale for 16.
struct mma_mxf4nvf4 {
  static constexpr instruction_shape shape{4, 64, 16};
  static __device__ void run(fragment<4>& d, const fragment<4>& a, const fragment<2>& b,
                             const step_scales& scales) {
#if defined(__CUDA_ARCH_FEAT_SM120_ALL)
    asm volatile(
        "mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1."
        "f32.ue4m3" MX_MMA_LISTS ", {%10}, {0,0}, {%11}, {0,0};"
        : MX_MMA_REGISTERS, "r"(scales.a), "r"(scales.b));
#endif
  }
};

/// E4M3, a UE8M0 scale for 32.
struct mma_mxf8f6f4_e4m3 {
  static constexpr instruction_shape shape{8, 32, 32};
  static __device__ void run(fragment<4>& d, const fragment<4>& a, const fragment<2>& b,
                             const step_scales& scales) {
#if defined(__CUDA_ARCH_FEAT_SM120_ALL)
    asm volatile(
        "mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.e4m3.e4m3."
        "f32.ue8m0" MX_MMA_LISTS ", {%10}, {0,0}, {%11}, {0,0};"
        : MX_MMA_REGISTERS, "r"(scales.a), "r"(scales.b));
#endif
  }
};

#undef MX_MMA_LISTS
#undef MX_MMA_REGISTERS

}  // namespace mx::kernels
