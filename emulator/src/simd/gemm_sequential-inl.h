// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/gemm_sequential-inl.h: tiles of products under `fp32.sequential`; included once
// for each target.
#if defined(MX_SIMD_GEMM_SEQUENTIAL_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_GEMM_SEQUENTIAL_INL_H
#undef MX_SIMD_GEMM_SEQUENTIAL_INL_H
#else
#define MX_SIMD_GEMM_SEQUENTIAL_INL_H
#endif

#include "simd/gemm_units-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
#if MX_SIMD_GEMM
namespace gemm_kernel {

/// `fp32.sequential`: RNE32(acc + sum * scales). The sum has 13 bits and the scales are powers of two
/// within binary32, so that the product is exact before the one rounding.
template <class Dot, int Unit, int Rows>
HWY_NOINLINE void sequential_tile(gemm_slice a, gemm_slice b, int units, const gemm_sums& c) {
  const F32 d;
  V acc[Rows][vectors];
  const auto at = [&](int r, int v) { return c.values + r * c.stride + v * lanes; };
#pragma GCC unroll 8
  for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 8
    for (int v = 0; v < vectors; ++v) acc[r][v] = hn::LoadU(d, at(r, v));
  }
  for (int unit = 0; unit < units; ++unit) {
    const auto sums = unit_sums<Rows>::template of<Dot, Unit>(a, b, start_pattern());
#pragma GCC unroll 8
    for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 8
      for (int v = 0; v < vectors; ++v) {
        const V left = scaled<Unit>(sums.sum[r][v], a.scales[r], a.starts[r]);
        acc[r][v] = hn::MulAdd(left, hn::Load(d, b.scales + v * lanes), acc[r][v]);
      }
    }
    to_next_unit<Unit, Rows>(a, b);
  }
#pragma GCC unroll 8
  for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 8
    for (int v = 0; v < vectors; ++v) hn::StoreU(acc[r][v], d, at(r, v));
  }
}

}  // namespace gemm_kernel
#endif
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
