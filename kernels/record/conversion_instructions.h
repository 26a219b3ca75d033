// SPDX-License-Identifier: Apache-2.0
// kernels/record/conversion_instructions.h: conversions of FP32 to E2M1, a word a thread. Code for
// architectures without them traps, and is not launched (kernels/record/devices.cu). None has run
// on hardware yet.
// Source: PTX ISA, "cvt": cvt.rs of sm_100a and sm_103a, cvt.rn of sm_100a, sm_103a and sm_120a;
// the first operand has the high bits.
#pragma once
#include <cuda_runtime.h>

#include "mx/number/bits.h"
#include "word_codes.h"

namespace mx::kernels {

struct convert_randomly {
  static constexpr const char* name = "cvt.rs.e2m1x4.f32";
  static __device__ std::uint32_t run(const std::uint32_t* x, std::uint32_t random) {
    unsigned short codes = 0;
#if defined(__CUDA_ARCH_FEAT_SM100_ALL) || defined(__CUDA_ARCH_FEAT_SM103_ALL)
    asm volatile("cvt.rs.satfinite.e2m1x4.f32 %0, {%1, %2, %3, %4}, %5;"
                 : "=h"(codes)
                 : "f"(float_of(x[3])), "f"(float_of(x[2])), "f"(float_of(x[1])),
                   "f"(float_of(x[0])), "r"(random));
#else
    __trap();
#endif
    return codes;
  }
};

struct convert_to_nearest {
  static constexpr const char* name = "cvt.rn.e2m1x2.f32";
  static __device__ std::uint32_t run(const std::uint32_t* x, std::uint32_t) {
    std::uint32_t codes = 0;
#if defined(__CUDA_ARCH_FEAT_SM100_ALL) || defined(__CUDA_ARCH_FEAT_SM103_ALL) || \
    defined(__CUDA_ARCH_FEAT_SM120_ALL)
    asm volatile(
        "{\n\t.reg .b8 codes;\n\tcvt.rn.satfinite.e2m1x2.f32 codes, %1, %2;\n\t"
        "mov.b32 %0, {codes, codes, codes, codes};\n\t}"
        : "=r"(codes)
        : "f"(float_of(x[1])), "f"(float_of(x[0])));
#else
    __trap();
#endif
    return codes & 0xFF;
  }
};

inline constexpr int conversion_threads = 64;

template <class Instruction>
__global__ void __launch_bounds__(conversion_threads)
    conversion_word_kernel(device_words words, int count) {
  const int word = static_cast<int>(blockIdx.x * conversion_threads + threadIdx.x);
  if (word >= count) return;
  words.d[word] = Instruction::run(words.a + words.begin[word], words.c[word]);
}

}  // namespace mx::kernels
