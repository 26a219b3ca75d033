// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/gemm_units-inl.h: integer sums of blocks of E2M1, a tile of them at a time;
// included once for each target.
#if defined(MX_SIMD_GEMM_UNITS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_GEMM_UNITS_INL_H
#undef MX_SIMD_GEMM_UNITS_INL_H
#else
#define MX_SIMD_GEMM_UNITS_INL_H
#endif

#include <cstring>

#include "dot/gemm_slices.h"
#include "simd/gemm_dot-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
#if MX_SIMD_GEMM
namespace gemm_kernel {

using F32 = hn::RebindToFloat<I32>;
using F32Half = hn::Half<F32>;
using F64 = hn::Rebind<double, F32Half>;
using V = hn::Vec<F32>;
using W = hn::Vec<F64>;
constexpr int lanes = static_cast<int>(hn::MaxLanes(I32()));

// AVX-512 has 32 registers, AVX2 has 16.
constexpr int vectors = lanes == 16 ? 4 : 2;
constexpr int columns = vectors * lanes;

/// Pattern of sum_start: the patterns of sums that begin with it are numbers, in binary32.
HWY_INLINE Vi start_pattern() { return hn::BitCast(I32(), hn::Set(F32(), sum_start)); }

/// Calls work(r, v) for every vector of a tile, row by row.
template <int Rows, class Work>
HWY_INLINE void each_vector(const Work& work) {
#pragma GCC unroll 8
  for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 8
    for (int v = 0; v < vectors; ++v) work(r, v);
  }
}

/// Integer sums of one unit for Rows rows.
template <int Rows>
struct unit_sums {
  Vi sum[Rows][vectors];

  /// Unit   elements of a unit
  /// start  of a row: the initial value of its sums
  template <class Dot, int Unit, class Start>
  static HWY_INLINE unit_sums of(const gemm_slice& a, const gemm_slice& b, const Start& start) {
    const I32 d;
    unit_sums all;
    each_vector<Rows>([&](int r, int v) { all.sum[r][v] = start(r); });
    const auto* right = reinterpret_cast<const std::int32_t*>(b.codes);
#pragma GCC unroll 8
    for (int k = 0; k < Unit / 4; ++k) {
      Vi four[vectors];
#pragma GCC unroll 8
      for (int v = 0; v < vectors; ++v) four[v] = hn::Load(d, right + k * columns + v * lanes);
#pragma GCC unroll 8
      for (int r = 0; r < Rows; ++r) {
        std::int32_t left;
        std::memcpy(&left, a.codes + (k * Rows + r) * 4, sizeof left);
        const Vi row = hn::Set(d, left);
#pragma GCC unroll 8
        for (int v = 0; v < vectors; ++v) all.sum[r][v] = Dot::add(all.sum[r][v], four[v], row);
      }
    }
    return all;
  }
};

/// Sums times A's scale, exactly: a sum has 14 bits and a scale at most six.
template <int Unit>
HWY_INLINE V scaled(Vi sum, float scale, float start) {
  const F32 d;
  const V number = hn::BitCast(d, sum);
  if constexpr (Unit == 32) return hn::MulAdd(number, hn::Set(d, scale), hn::Set(d, start));
  return hn::Mul(hn::Sub(number, hn::Set(d, start)), hn::Set(d, scale));
}

template <int Unit, int Rows>
HWY_INLINE void to_next_unit(gemm_slice& a, gemm_slice& b) {
  a.codes += Unit * Rows;
  a.scales += Rows;
  a.starts += Rows;
  b.codes += Unit * columns;
  b.scales += columns;
}

/// After a step of four units.
template <int Rows>
HWY_INLINE void to_next_weights(gemm_slice& a, gemm_slice& b) {
  a.weights = {a.weights.pairs + 2 * Rows, a.weights.powers + Rows, a.weights.starts + 4 * Rows};
  b.weights = {b.weights.pairs + 2 * columns, b.weights.powers + columns, nullptr};
}

}  // namespace gemm_kernel
#endif
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
