// SPDX-License-Identifier: Apache-2.0
// mx/tensor/vector_targets.h: Highway's targets for code without fused multiply-adds, those that
// instruction_sets names (mx/tensor/bulk.h); included before it. SSSE3 adds nothing to SSE4, and
// vectors of unknown length do not fit the kernels: ARM processors with SVE have NEON too.
#pragma once
// Its DemoteTo saturates where binary32 overflows to Inf; the scalar target runs instead.
#define HWY_BROKEN_EMU128 1
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
