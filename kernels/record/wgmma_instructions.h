// SPDX-License-Identifier: Apache-2.0
// kernels/record/wgmma_instructions.h: matrix instructions of four warps (sm_90a), A in registers
// and B in shared memory; code for other architectures traps.
// Source: PTX ISA, "wgmma.mma_async": the registers of A's rows 0 to 15 are those of mma.sync in
// warp 0; without swizzling B lies in core matrices of 8 columns by 16 bytes, column n of one at 16
// n, consecutive ones along k 128 bytes apart.
// None has run on hardware yet.
#pragma once
#include "device/matrix_descriptor.h"
#include "mma_instructions.h"

namespace mx::kernels {

inline constexpr int wgmma_word_threads = 128;
inline constexpr int core_matrix_bytes = 128;
/// Two core matrices along k: 32 bytes of a column.
inline constexpr int wgmma_tile_bytes = 2 * core_matrix_bytes;

/// The descriptor of B's tile, which is one core matrix along n.
[[nodiscard]] MX_HD constexpr std::uint64_t tile_descriptor(std::uint32_t shared_address) noexcept {
  return descriptor_of({shared_address, core_matrix_bytes, wgmma_tile_bytes});
}

// As in mma_instructions.h. After the descriptor: D = A B + D; for floating point neither A nor B
// negated; for 16-bit elements B not transposed.
#define MX_WGMMA_REGISTERS                           \
  "+r"(d.word[0]), "+r"(d.word[1]), "+r"(d.word[2]), \
      "+r"(d.word[3]) : "r"(a.word[0]), "r"(a.word[1]), "r"(a.word[2]), "r"(a.word[3]), "l"(b)
#define MX_WGMMA_TO_32 " {%0,%1,%2,%3}, {%4,%5,%6,%7}, %8, 1"
#define MX_WGMMA_TO_16 " {%0,%1}, {%4,%5,%6,%7}, %8, 1"

#define MX_WGMMA(INSTRUCTION, NAME, BITS, K, TEXT)                                              \
  struct INSTRUCTION {                                                                          \
    static constexpr char name[] = NAME;                                                        \
    static constexpr bool has_code = MX_CODE_HAS_WGMMA;                                         \
    static constexpr instruction_shape shape{{BITS}, {BITS}, K};                                \
    static __device__ void run(fragment<4>& d, const fragment<4>& a, std::uint64_t b) {         \
      MX_CODE_IF(MX_CODE_HAS_WGMMA, asm volatile("wgmma.mma_async.sync.aligned.m64n8k" TEXT ";" \
                                                 : MX_WGMMA_REGISTERS));                        \
    }                                                                                           \
  };

MX_WGMMA(wgmma_bf16_f32, "wgmma.bf16.f32", 16, 16, "16.f32.bf16.bf16" MX_WGMMA_TO_32 ", 1, 1, 0")
MX_WGMMA(wgmma_f16_f32, "wgmma.f16.f32", 16, 16, "16.f32.f16.f16" MX_WGMMA_TO_32 ", 1, 1, 0")
MX_WGMMA(wgmma_f16_f16, "wgmma.f16.f16", 16, 16, "16.f16.f16.f16" MX_WGMMA_TO_16 ", 1, 1, 0")
MX_WGMMA(wgmma_tf32_f32, "wgmma.tf32.f32", 32, 8, "8.f32.tf32.tf32" MX_WGMMA_TO_32 ", 1, 1")
MX_WGMMA(wgmma_e4m3_f32, "wgmma.e4m3.f32", 8, 32, "32.f32.e4m3.e4m3" MX_WGMMA_TO_32 ", 1, 1")
MX_WGMMA(wgmma_e4m3_f16, "wgmma.e4m3.f16", 8, 32, "32.f16.e4m3.e4m3" MX_WGMMA_TO_16 ", 1, 1")
MX_WGMMA(wgmma_e5m2_f32, "wgmma.e5m2.f32", 8, 32, "32.f32.e5m2.e5m2" MX_WGMMA_TO_32 ", 1, 1")
MX_WGMMA(wgmma_e5m2_f16, "wgmma.e5m2.f16", 8, 32, "32.f16.e5m2.e5m2" MX_WGMMA_TO_16 ", 1, 1")
MX_WGMMA(wgmma_s8_s32, "wgmma.s8.s32", 8, 32, "32.s32.s8.s8" MX_WGMMA_TO_32)

#undef MX_WGMMA
#undef MX_WGMMA_TO_16
#undef MX_WGMMA_TO_32
#undef MX_WGMMA_REGISTERS

/// Orders the threads' stores to shared memory before the instruction; called before and after it.
struct wgmma_order {
  static __device__ void shared_is_written() {
#if MX_CODE_HAS_WGMMA
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
  }
  static __device__ void begin() {
#if MX_CODE_HAS_WGMMA
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#endif
  }
  static __device__ void end() {
#if MX_CODE_HAS_WGMMA
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#endif
  }
};

}  // namespace mx::kernels
