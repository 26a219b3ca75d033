// SPDX-License-Identifier: Apache-2.0
// mx/tensor/fused_targets.h: Highway's targets for code with fused multiply-adds; included before
// it. SSSE3 and SSE4 add nothing: without a fused multiply-add in hardware std::fma dominates the
// time. Vectors of unknown length do not fit the kernels: ARM processors with SVE have NEON too.
#pragma once
#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_SSE4 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
