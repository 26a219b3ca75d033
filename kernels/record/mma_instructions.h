// SPDX-License-Identifier: Apache-2.0
// kernels/record/mma_instructions.h: warp-wide matrix instructions, one type each: its name in the
// emulator's models (after the family's if a family has its own), its operands, and its text.
// Code for architectures without one traps, and is not launched (kernels/record/devices.h).
// Source: PTX ISA, "mma"; architectures as accepted by ptxas 13.0.
// None has run on hardware yet.
#pragma once
#include "device/architecture.h"
#include "word_codes.h"

namespace mx::kernels {

/// Scales of one step, k ascending from the low byte: of row 0 of A and of column 0 of B.
struct step_scales {
  std::uint32_t a = 0, b = 0;
};

// The text of an instruction is a literal, concatenated by the preprocessor. Registers of D,
// also C, of A and of B, as all instructions list them; 16-bit results are packed two in a
// register.
#define MX_MMA_REGISTERS                             \
  "+r"(d.word[0]), "+r"(d.word[1]), "+r"(d.word[2]), \
      "+r"(d.word[3])                                \
      : "r"(a.word[0]),                              \
        "r"(a.word[1]),                              \
        "r"(a.word[2]),                              \
        "r"(a.word[3]),                              \
        "r"(b.word[0]),                              \
        "r"(b.word[1]),                              \
        "r"(scales.a),                               \
        "r"(scales.b)
#define MX_MMA_TO_32 " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3}"
#define MX_MMA_TO_16 " {%0,%1}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1}"
#define MX_MMA_SCALES ", {%10}, {0,0}, {%11}, {0,0}"

#define MX_MMA(INSTRUCTION, NAME, HAS_CODE, SHAPE, TEXT)                                   \
  struct INSTRUCTION {                                                                     \
    static constexpr char name[] = NAME;                                                   \
    static constexpr bool has_code = HAS_CODE;                                             \
    static constexpr instruction_shape shape SHAPE;                                        \
    static __device__ void run(fragment<4>& d, const fragment<4>& a, const fragment<2>& b, \
                               const step_scales& scales) {                                \
      MX_CODE_IF(HAS_CODE, asm volatile("mma.sync.aligned." TEXT ";" : MX_MMA_REGISTERS)); \
    }                                                                                      \
  };

// A macro argument that contains commas.
#define MX_SHAPE(...) \
  { __VA_ARGS__ }

MX_MMA(mma_f16_f32, "mma.f16.f32", 1, MX_SHAPE({16}, {16}, 16),
       "m16n8k16.row.col.f32.f16.f16.f32" MX_MMA_TO_32)
MX_MMA(mma_f16_f16, "mma.f16.f16", 1, MX_SHAPE({16}, {16}, 16),
       "m16n8k16.row.col.f16.f16.f16.f16" MX_MMA_TO_16)
MX_MMA(mma_bf16_f32, "mma.bf16.f32", 1, MX_SHAPE({16}, {16}, 16),
       "m16n8k16.row.col.f32.bf16.bf16.f32" MX_MMA_TO_32)
MX_MMA(mma_tf32_f32, "mma.tf32.f32", 1, MX_SHAPE({32}, {32}, 8),
       "m16n8k8.row.col.f32.tf32.tf32.f32" MX_MMA_TO_32)
MX_MMA(mma_s8_s32, "mma.s8.s32", 1, MX_SHAPE({8}, {8}, 32),
       "m16n8k32.row.col.s32.s8.s8.s32" MX_MMA_TO_32)

MX_MMA(mma_e4m3_f32, "mma.e4m3.f32", MX_CODE_HAS_FP8_MMA, MX_SHAPE({8}, {8}, 32),
       "m16n8k32.row.col.f32.e4m3.e4m3.f32" MX_MMA_TO_32)
MX_MMA(mma_e4m3_f16, "mma.e4m3.f16", MX_CODE_HAS_FP8_MMA, MX_SHAPE({8}, {8}, 32),
       "m16n8k32.row.col.f16.e4m3.e4m3.f16" MX_MMA_TO_16)
MX_MMA(mma_e5m2_f32, "mma.e5m2.f32", MX_CODE_HAS_FP8_MMA, MX_SHAPE({8}, {8}, 32),
       "m16n8k32.row.col.f32.e5m2.e5m2.f32" MX_MMA_TO_32)
MX_MMA(mma_e5m2_f16, "mma.e5m2.f16", MX_CODE_HAS_FP8_MMA, MX_SHAPE({8}, {8}, 32),
       "m16n8k32.row.col.f16.e5m2.e5m2.f16" MX_MMA_TO_16)

// Two operands of one format of fewer than 8 bits, an element a byte.
#define MX_MMA_NARROW(FORMAT, SHIFT)                                                   \
  MX_MMA(mma_##FORMAT##_f32, "mma." #FORMAT ".f32", MX_CODE_HAS_SCALED_MMA,            \
         MX_SHAPE({8, SHIFT}, {8, SHIFT}, 32),                                         \
         "kind::f8f6f4.m16n8k32.row.col.f32." #FORMAT "." #FORMAT ".f32" MX_MMA_TO_32) \
  MX_MMA(mma_##FORMAT##_f16, "mma." #FORMAT ".f16", MX_CODE_HAS_SCALED_MMA,            \
         MX_SHAPE({8, SHIFT}, {8, SHIFT}, 32),                                         \
         "kind::f8f6f4.m16n8k32.row.col.f16." #FORMAT "." #FORMAT ".f16" MX_MMA_TO_16)
MX_MMA_NARROW(e2m1, 2)
MX_MMA_NARROW(e2m3, 0)
MX_MMA_NARROW(e3m2, 0)

// E2M1 with a UE8M0 scale for 32, or a UE4M3 scale for 16.
MX_MMA(mma_mxf4, "blackwell.mxf4", MX_CODE_HAS_SCALED_MMA, MX_SHAPE({4}, {4}, 64, 32),
       "m16n8k64.row.col.kind::mxf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0" MX_MMA_TO_32
           MX_MMA_SCALES)
MX_MMA(
    mma_mxf4nvf4, "blackwell.mxf4nvf4", MX_CODE_HAS_SCALED_MMA, MX_SHAPE({4}, {4}, 64, 16),
    "m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3" MX_MMA_TO_32
        MX_MMA_SCALES)

// Any two formats of 4 to 8 bits, a UE8M0 scale for 32.
#define MX_MMA_MIXED(A, SHIFT_A, B, SHIFT_B)                                              \
  MX_MMA(mma_mxf8f6f4_##A##_##B, "blackwell.mxf8f6f4." #A "." #B, MX_CODE_HAS_SCALED_MMA, \
         MX_SHAPE({8, SHIFT_A}, {8, SHIFT_B}, 32, 32),                                    \
         "m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32." #A "." #B       \
         ".f32.ue8m0" MX_MMA_TO_32 MX_MMA_SCALES)
#define MX_MMA_MIXED_WITH(A, SHIFT_A)                                                         \
  MX_MMA_MIXED(A, SHIFT_A, e2m1, 2)                                                           \
  MX_MMA_MIXED(A, SHIFT_A, e2m3, 0)                                                           \
  MX_MMA_MIXED(A, SHIFT_A, e3m2, 0)                                                           \
  MX_MMA_MIXED(A, SHIFT_A, e4m3, 0)                                                           \
  MX_MMA_MIXED(A, SHIFT_A, e5m2, 0)                                                           \
  using mma_mxf8f6f4_##A =                                                                    \
      instructions<mma_mxf8f6f4_##A##_e2m1, mma_mxf8f6f4_##A##_e2m3, mma_mxf8f6f4_##A##_e3m2, \
                   mma_mxf8f6f4_##A##_e4m3, mma_mxf8f6f4_##A##_e5m2>;

/// A list of types.
template <class... Instructions>
struct instructions {};

MX_MMA_MIXED_WITH(e2m1, 2)
MX_MMA_MIXED_WITH(e2m3, 0)
MX_MMA_MIXED_WITH(e3m2, 0)
MX_MMA_MIXED_WITH(e4m3, 0)
MX_MMA_MIXED_WITH(e5m2, 0)

#undef MX_MMA_MIXED_WITH
#undef MX_MMA_MIXED
#undef MX_MMA_NARROW
#undef MX_SHAPE
#undef MX_MMA
#undef MX_MMA_SCALES
#undef MX_MMA_TO_16
#undef MX_MMA_TO_32
#undef MX_MMA_REGISTERS

}  // namespace mx::kernels
