// SPDX-License-Identifier: Apache-2.0
// kernels/record/tensor_instructions.h: matrix instructions of a multiprocessor's tensor core
// (tcgen05.mma), D = A B + D of 128 by 16 in FP32; code for other architectures
// traps.
// Source: PTX ISA, "tcgen05.mma", "Instruction descriptor".
// None has run on hardware yet.
#pragma once
#include "device/tensor.h"
#include "tensor_words.h"

namespace mx::kernels {

/// "Instruction descriptor for .kind::tf32, .kind::f16, .kind::f8f6f4": D in FP32.
///   type  of A and B, encoded per kind
[[nodiscard]] MX_HD constexpr std::uint32_t plain_instruction(std::uint32_t type) noexcept {
  return 1U << 4 | type << 7 | type << 10 | tensor_word_columns / 8U << 17 |
         tensor_rows / 16U << 24;
}

[[nodiscard]] MX_HD constexpr std::uint32_t word_instruction(std::uint32_t type,
                                                             scale_type scales) noexcept {
  return scaled_instruction({type, scales, 0, tensor_word_columns});
}

// As in mma_instructions.h.
#define MX_TENSOR_PLAIN " [%0], %1, %2, %3, p;}"
#define MX_TENSOR_SCALED " [%0], %1, %2, %3, [%4], [%5], p;}"

#define MX_TENSOR(INSTRUCTION, NAME, BITS, K, BLOCK, DESCRIPTOR, TEXT)                          \
  struct INSTRUCTION {                                                                          \
    static constexpr char name[] = NAME;                                                        \
    static constexpr bool has_code = MX_CODE_HAS_TCGEN05;                                       \
    static constexpr instruction_shape shape{{BITS}, {BITS}, K, BLOCK};                         \
    static __device__ void run(const tensor_thread&, const tensor_word_operands& of) {          \
      MX_CODE_IF(                                                                               \
          MX_CODE_HAS_TCGEN05,                                                                  \
          asm volatile(                                                                         \
              "{.reg .pred p; setp.eq.u32 p, 0, 0; tcgen05.mma.cta_group::1.kind::" TEXT ::"r"( \
                  of.d),                                                                        \
              "l"(of.a), "l"(of.b), "r"(DESCRIPTOR), "r"(of.scales_a), "r"(of.scales_b)         \
              : "memory"));                                                                     \
    }                                                                                           \
  };

MX_TENSOR(tensor_f16_f32, "blackwell.tcgen05.f16.f32", 16, 16, 0, plain_instruction(0),
          "f16" MX_TENSOR_PLAIN)
MX_TENSOR(tensor_bf16_f32, "blackwell.tcgen05.bf16.f32", 16, 16, 0, plain_instruction(1),
          "f16" MX_TENSOR_PLAIN)
MX_TENSOR(tensor_tf32_f32, "blackwell.tcgen05.tf32.f32", 32, 8, 0, plain_instruction(2),
          "tf32" MX_TENSOR_PLAIN)
MX_TENSOR(tensor_e4m3_f32, "blackwell.tcgen05.e4m3.f32", 8, 32, 0, plain_instruction(0),
          "f8f6f4" MX_TENSOR_PLAIN)
MX_TENSOR(tensor_e5m2_f32, "blackwell.tcgen05.e5m2.f32", 8, 32, 0, plain_instruction(1),
          "f8f6f4" MX_TENSOR_PLAIN)

// With a UE8M0 scale for 32, or a UE4M3 scale for 16.
MX_TENSOR(tensor_mxf8f6f4_e4m3, "blackwell.mxf8f6f4.e4m3.e4m3", 8, 32, 32,
          word_instruction(0, scale_type::ue8m0),
          "mxf8f6f4.block_scale.scale_vec::1X" MX_TENSOR_SCALED)
MX_TENSOR(tensor_mxf8f6f4_e5m2, "blackwell.mxf8f6f4.e5m2.e5m2", 8, 32, 32,
          word_instruction(1, scale_type::ue8m0),
          "mxf8f6f4.block_scale.scale_vec::1X" MX_TENSOR_SCALED)
MX_TENSOR(tensor_mxf4, "blackwell.mxf4", 4, 64, 32, word_instruction(1, scale_type::ue8m0),
          "mxf4.block_scale.scale_vec::2X" MX_TENSOR_SCALED)
MX_TENSOR(tensor_mxf4nvf4, "blackwell.mxf4nvf4", 4, 64, 16, word_instruction(1, scale_type::ue4m3),
          "mxf4nvf4.block_scale.scale_vec::4X" MX_TENSOR_SCALED)

#undef MX_TENSOR
#undef MX_TENSOR_SCALED
#undef MX_TENSOR_PLAIN

template <class Instruction>
__global__ void __launch_bounds__(threads_if(Instruction::has_code, tensor_word_threads))
    tensor_word_kernel(device_words words) {
  __shared__ tensor_word_shared memory;
  tensor_word<Instruction, tensor_thread>(tensor_thread(&memory), words).run();
}

}  // namespace mx::kernels
