// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd_targets.h: which of Highway's targets are worth compiling; included before it.
// SSSE3 and SSE4 add nothing: without a fused multiply-add in hardware the time goes into std::fma.
#pragma once
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4)
