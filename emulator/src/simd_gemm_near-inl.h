// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd_gemm_near-inl.h: tiles as in simd_gemm_fused-inl.h, in binary32 alone; included
// once for each target.
#if defined(MX_SIMD_GEMM_NEAR_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_GEMM_NEAR_INL_H
#undef MX_SIMD_GEMM_NEAR_INL_H
#else
#define MX_SIMD_GEMM_NEAR_INL_H
#endif

#include "simd_gemm_fused-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
#if MX_SIMD_GEMM
namespace gemm_kernel {

#if HWY_TARGET == HWY_AVX3

/// The smallest of the magnitudes, zeros not counted.
HWY_INLINE V smaller_magnitude(V smallest, V acc) {
  const F32 d;
  const V size = hn::Abs(acc);
  return hn::Min(smallest, hn::IfThenElse(hn::Eq(size, hn::Zero(d)), smallest, size));
}

/// As fused_tile, for two scales in a step whose products' exponents differ by at most 10, so that both
/// terms together have at most 24 bits, and for sums that stay below 2^34 times the smallest scale:
/// nothing is cut off a term. Returns false, with nothing written, where C may be cut somewhere.
///   limit  2^-12 times the largest scale: of a C that is not smaller nothing is cut
template <class Dot, int Rows>
HWY_NOINLINE bool near_tile(gemm_slice a, gemm_slice b, int steps, const gemm_sums& c,
                            float limit) {
  const F32 d;
  V acc[Rows][vectors];
  V smallest = hn::Set(d, limit);
  const auto at = [&](int r, int v) { return c.values + r * c.stride + v * lanes; };
#pragma GCC unroll 8
  for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 8
    for (int v = 0; v < vectors; ++v) {
      acc[r][v] = hn::LoadU(d, at(r, v));
      smallest = smaller_magnitude(smallest, acc[r][v]);
    }
  }
  for (int step = 0; step < steps; ++step) {
    const auto sums = step_sums<2, Rows>::template of<Dot>(a, b);
#pragma GCC unroll 8
    for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 8
      for (int v = 0; v < vectors; ++v) {
        const float* right = b.scales + v * lanes;
        const V first = scaled<32>(sums.unit[0].sum[r][v], a.scales[r], a.starts[r]);
        const V second = scaled<32>(sums.unit[1].sum[r][v], a.scales[Rows + r], a.starts[Rows + r]);
        const V both =
            hn::MulAdd(second, hn::Load(d, right + columns), hn::Mul(first, hn::Load(d, right)));
        // A sum of zero is read as small here: then the other tile does it.
        if (step > 0) smallest = V{_mm512_range_ps(smallest.raw, acc[r][v].raw, 0b1010)};
        acc[r][v] =
            V{_mm512_add_round_ps(acc[r][v].raw, both.raw, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC)};
      }
    }
    for (int u = 0; u < 2; ++u) to_next_unit<32, Rows>(a, b);
  }
  if (!hn::AllTrue(d, hn::Ge(smallest, hn::Set(d, limit)))) return false;
#pragma GCC unroll 8
  for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 8
    for (int v = 0; v < vectors; ++v) hn::StoreU(acc[r][v], d, at(r, v));
  }
  return true;
}

#endif

}  // namespace gemm_kernel
#endif
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
