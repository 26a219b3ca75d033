// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/gemm_registers-inl.h: tiles of products whose sums stay in registers, in
// binary32 alone: `fp32.sequential`; products of at most 32 elements in k on their way into the
// levels of a tree. Included once for each target.
#if defined(MX_SIMD_GEMM_REGISTERS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_GEMM_REGISTERS_INL_H
#undef MX_SIMD_GEMM_REGISTERS_INL_H
#else
#define MX_SIMD_GEMM_REGISTERS_INL_H
#endif

#include "simd/gemm_units-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
#if MX_SIMD_GEMM
namespace gemm_kernel {

/// RNE32(a * b + c)
struct nearest_sum {
  static HWY_INLINE V of(V a, V b, V c) { return hn::MulAdd(a, b, c); }
};

#if HWY_TARGET == HWY_AVX3
/// RZ32(a * b + c)
struct cut_sum_of_two {
  static HWY_INLINE V of(V a, V b, V c) {
    return V{_mm512_fmadd_round_ps(a.raw, b.raw, c.raw, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC)};
  }
};
#endif

/// Adds some units one after another.
template <class Dot, class Sum, int Unit, int Rows>
HWY_INLINE void add_units(gemm_slice a, gemm_slice b, int units, V (&acc)[Rows][vectors]) {
  for (int unit = 0; unit < units; ++unit) {
    const auto sums = unit_sums<Rows>::template of<Dot, Unit>(a, b);
    each_vector<Rows>([&](int r, int v) {
      const V left = scaled<Unit>(sums.sum[r][v], a.scales[r], a.starts[r]);
      acc[r][v] = Sum::of(left, hn::Load(F32(), b.scales + v * lanes), acc[r][v]);
    });
    to_next_unit<Unit, Rows>(a, b);
  }
}

/// `fp32.sequential`: RNE32(acc + sum * scales). The sum has 13 bits and the scales are powers of
/// two within binary32, so that the product is exact before the one rounding.
template <class Dot, int Unit, int Rows>
HWY_NOINLINE void sequential_tile(gemm_slice a, gemm_slice b, int units, const gemm_sums& c) {
  const F32 d;
  V acc[Rows][vectors];
  const auto at = [&](int r, int v) { return c.values + r * c.stride + v * lanes; };
  each_vector<Rows>([&](int r, int v) { acc[r][v] = hn::LoadU(d, at(r, v)); });
  add_units<Dot, nearest_sum, Unit>(a, b, units, acc);
  each_vector<Rows>([&](int r, int v) { hn::StoreU(acc[r][v], d, at(r, v)); });
}

/// D of a leaf, a whole tile from +0, carried into the levels: one block of 32, which is exact, or
/// up to two of 16, the second of which is added by Sum. An alignment of both must not cut anything
/// off. A NaN of any addition stays one in the later ones, so that its pattern is set at the end.
template <class Dot, class Sum, int Unit, int Rows>
HWY_NOINLINE void few_tile(const gemm_slice& a, const gemm_slice& b, int units,
                           const leaf_place& to) {
  const F32 d;
  V acc[Rows][vectors];
  each_vector<Rows>([&](int r, int v) { acc[r][v] = hn::Zero(d); });
  add_units<Dot, Sum, Unit>(a, b, Unit == 32 ? 1 : units, acc);
  const V alpha = hn::Set(d, to.alpha);
  each_vector<Rows>([&](int r, int v) { acc[r][v] = hn::Mul(alpha, acc[r][v]); });
  int level = 0;
  for (; (to.leaf >> level & 1) != 0; ++level) {
    const float* sum = to.levels[level] + to.at;
    each_vector<Rows>([&](int r, int v) {
      acc[r][v] = hn::Add(hn::LoadU(d, sum + r * to.stride + v * lanes), acc[r][v]);
    });
  }
  float* sum = to.levels[level] + to.at;
  const V nan = hn::BitCast(d, hn::Set(I32(), static_cast<std::int32_t>(to.nan)));
  each_vector<Rows>([&](int r, int v) {
    const V all = hn::IfThenElse(hn::Eq(acc[r][v], acc[r][v]), acc[r][v], nan);
    hn::StoreU(all, d, sum + r * to.stride + v * lanes);
  });
}

}  // namespace gemm_kernel
#endif
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
