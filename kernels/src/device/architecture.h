// SPDX-License-Identifier: Apache-2.0
// kernels/src/device/architecture.h: which instructions the code that is being compiled for a
// device may contain; on the host and on devices that lack them a macro is 0.
// Source: PTX ISA, "Target ISA Notes" of each instruction, as ptxas 13.0 accepts it. An instruction
// of sm_XYa is in code for exactly that architecture; one of sm_XYf in code for its family.
#pragma once

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define MX_CODE_HAS_WGMMA 1
#else
#define MX_CODE_HAS_WGMMA 0
#endif

#if defined(__CUDA_ARCH_FEAT_SM100_ALL) || defined(__CUDA_ARCH_FEAT_SM103_ALL) || \
    defined(__CUDA_ARCH_FEAT_SM110_ALL)
#define MX_CODE_HAS_TCGEN05 1
#else
#define MX_CODE_HAS_TCGEN05 0
#endif

// sm_120f and sm_121f
#if defined(__CUDA_ARCH_FAMILY_SPECIFIC__)
#define MX_CODE_IS_OF_FAMILY_120 (__CUDA_ARCH_FAMILY_SPECIFIC__ / 100 == 12)
#else
#define MX_CODE_IS_OF_FAMILY_120 0
#endif

// mma.sync with block scales, and with elements of fewer than 8 bits.
#if defined(__CUDA_ARCH_FEAT_SM120_ALL) || defined(__CUDA_ARCH_FEAT_SM121_ALL) || \
    MX_CODE_IS_OF_FAMILY_120
#define MX_CODE_HAS_SCALED_MMA 1
#else
#define MX_CODE_HAS_SCALED_MMA 0
#endif

// cvt.rn.satfinite.e2m1x2.f32
#if MX_CODE_HAS_TCGEN05 || MX_CODE_HAS_SCALED_MMA
#define MX_CODE_HAS_E2M1_CONVERSION 1
#else
#define MX_CODE_HAS_E2M1_CONVERSION 0
#endif

// cvt.rs.satfinite.e2m1x4.f32
#if defined(__CUDA_ARCH_FEAT_SM100_ALL) || defined(__CUDA_ARCH_FEAT_SM103_ALL)
#define MX_CODE_HAS_RANDOM_CONVERSION 1
#else
#define MX_CODE_HAS_RANDOM_CONVERSION 0
#endif

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 890
#define MX_CODE_HAS_FP8_MMA 1
#else
#define MX_CODE_HAS_FP8_MMA 0
#endif

/// A statement in code that has its instructions (a macro from above), else a trap: the compiler
/// must not even read assembler that the architecture lacks.
#define MX_CODE_IF(has, ...) MX_CODE_IF_VALUE(has, __VA_ARGS__)
#define MX_CODE_IF_VALUE(has, ...) MX_CODE_IF_##has(__VA_ARGS__)
#define MX_CODE_IF_0(...) __trap()
#define MX_CODE_IF_1(...) __VA_ARGS__

namespace mx::kernels {

/// __launch_bounds__ of a kernel: `threads` where its code has the instructions, else 1, by which
/// the host knows that it is a stub (compiled_for, kernels/src/launch.h).
[[nodiscard]] constexpr int threads_if(bool has_instructions, int threads) noexcept {
  return has_instructions ? threads : 1;
}

}  // namespace mx::kernels
