// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/block_targets.h: Highway's targets worth compiling for kernels that need no
// fused multiply-add; included before it. SSSE3 adds nothing to SSE4, and vectors of unknown length
// do not fit the kernels: ARM processors with SVE have NEON too.
#pragma once
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
