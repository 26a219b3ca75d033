// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/gemm_near-inl.h: tiles as in simd/gemm_fused-inl.h, in binary32 alone; included
// once for each target.
#if defined(MX_SIMD_GEMM_NEAR_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_GEMM_NEAR_INL_H
#undef MX_SIMD_GEMM_NEAR_INL_H
#else
#define MX_SIMD_GEMM_NEAR_INL_H
#endif

#include "simd/gemm_units-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
#if MX_SIMD_GEMM
namespace gemm_kernel {

#if HWY_TARGET == HWY_AVX3

/// Sums of both units of a step.
template <int Rows>
struct near_sums {
  unit_sums<Rows> unit[2];

  template <class Dot>
  static HWY_INLINE near_sums of(gemm_slice a, gemm_slice b) {
    near_sums all;
#pragma GCC unroll 2
    for (int u = 0; u < 2; ++u) {
      all.unit[u] = unit_sums<Rows>::template of<Dot, 32>(a, b, start_pattern());
      to_next_unit<32, Rows>(a, b);
    }
    return all;
  }
};

/// As fused_tile, for two scales in a step, from sums of zero, if the exponents of all scales'
/// products are so close that no alignment cuts anything off: both terms of a step have at most 24
/// bits together, no sum lies more than 33 binades above a scale, and every sum is a multiple of a
/// fourth of the smallest scale, which lies no more than 33 binades below the largest.
template <class Dot, int Rows>
HWY_NOINLINE void near_tile(gemm_slice a, gemm_slice b, int steps, const gemm_sums& c) {
  const F32 d;
  V acc[Rows][vectors];
  const auto at = [&](int r, int v) { return c.values + r * c.stride + v * lanes; };
#pragma GCC unroll 8
  for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 8
    for (int v = 0; v < vectors; ++v) {
      acc[r][v] = hn::LoadU(d, at(r, v));
    }
  }
  for (int step = 0; step < steps; ++step) {
    const auto sums = near_sums<Rows>::template of<Dot>(a, b);
#pragma GCC unroll 8
    for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 8
      for (int v = 0; v < vectors; ++v) {
        const float* right = b.scales + v * lanes;
        const V first = scaled<32>(sums.unit[0].sum[r][v], a.scales[r], a.starts[r]);
        const V second = scaled<32>(sums.unit[1].sum[r][v], a.scales[Rows + r], a.starts[Rows + r]);
        const V both =
            hn::MulAdd(second, hn::Load(d, right + columns), hn::Mul(first, hn::Load(d, right)));
        acc[r][v] =
            V{_mm512_add_round_ps(acc[r][v].raw, both.raw, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC)};
      }
    }
    for (int u = 0; u < 2; ++u) to_next_unit<32, Rows>(a, b);
  }
#pragma GCC unroll 8
  for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 8
    for (int v = 0; v < vectors; ++v) hn::StoreU(acc[r][v], d, at(r, v));
  }
}

#endif

}  // namespace gemm_kernel
#endif
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
