// SPDX-License-Identifier: Apache-2.0
// kernels/record/conversion_instructions.h: conversions of FP32 to E2M1, a word a thread. Code for
// architectures without them traps, and is not launched (kernels/record/devices.cu). None has run
// on hardware yet.
// Source: PTX ISA, "cvt": cvt.rs, cvt.rn; the first operand has the high bits.
#pragma once
#include <cuda_runtime.h>

#include "device/architecture.h"
#include "mx/number/bits.h"
#include "word_codes.h"

namespace mx::kernels {

struct convert_randomly {
  static constexpr const char* name = "cvt.rs.e2m1x4.f32";
  static constexpr bool has_code = MX_CODE_HAS_RANDOM_CONVERSION;
  static __device__ std::uint32_t run(const std::uint32_t* x, std::uint32_t random) {
    unsigned short codes = 0;
    MX_CODE_IF(MX_CODE_HAS_RANDOM_CONVERSION,
               asm volatile("cvt.rs.satfinite.e2m1x4.f32 %0, {%1, %2, %3, %4}, %5;"
                            : "=h"(codes)
                            : "f"(float_of(x[3])), "f"(float_of(x[2])), "f"(float_of(x[1])),
                              "f"(float_of(x[0])), "r"(random)));
    return codes;
  }
};

struct convert_to_nearest {
  static constexpr const char* name = "cvt.rn.e2m1x2.f32";
  static constexpr bool has_code = MX_CODE_HAS_E2M1_CONVERSION;
  static __device__ std::uint32_t run(const std::uint32_t* x, std::uint32_t) {
    std::uint32_t codes = 0;
    MX_CODE_IF(MX_CODE_HAS_E2M1_CONVERSION,
               asm volatile("{\n\t.reg .b8 codes;\n\tcvt.rn.satfinite.e2m1x2.f32 codes, %1, %2;\n\t"
                            "mov.b32 %0, {codes, codes, codes, codes};\n\t}"
                            : "=r"(codes)
                            : "f"(float_of(x[1])), "f"(float_of(x[0]))));
    return codes & 0xFF;
  }
};

inline constexpr int conversion_threads = 64;

template <class Instruction>
__global__ void __launch_bounds__(threads_if(Instruction::has_code, conversion_threads))
    conversion_word_kernel(device_words words, int count) {
  const int word = static_cast<int>(blockIdx.x * conversion_threads + threadIdx.x);
  if (word >= count) return;
  words.d[word] = Instruction::run(words.a + words.begin[word], words.c[word]);
}

}  // namespace mx::kernels
