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

/// Calls work(r, v) for every vector of a tile, or for Vectors of a row, row by row.
template <int Rows, int Vectors = vectors, class Work>
HWY_INLINE void each_vector(const Work& work) {
#pragma GCC unroll 8
  for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 8
    for (int v = 0; v < Vectors; ++v) work(r, v);
  }
}

/// Integer sums of products for Rows rows.
template <int Rows, int Vectors = vectors>
struct unit_sums {
  Vi sum[Rows][Vectors];

  ///   start  of a row: the initial value of its sums
  template <class Start>
  static HWY_INLINE unit_sums from(const Start& start) {
    unit_sums all;
    each_vector<Rows, Vectors>([&](int r, int v) { all.sum[r][v] = start(r); });
    return all;
  }
  /// Of the first unit.
  template <class Dot, int Unit>
  static HWY_INLINE unit_sums of(const gemm_slice& a, const gemm_slice& b) {
    unit_sums all = from([](int) { return start_pattern(); });
    all.template add<Dot, Unit>(a, b, 0, 0);
    return all;
  }

  /// Adds the products of a unit.
  ///   Unit    elements of a unit      column  of the first vector
  template <class Dot, int Unit>
  HWY_INLINE void add(const gemm_slice& a, const gemm_slice& b, int column, int unit) {
    const I32 d;
    constexpr int fours = Unit / 4;
    const auto* right = reinterpret_cast<const std::int32_t*>(b.codes) + column;
#pragma GCC unroll 8
    for (int k = 0; k < fours; ++k) {
      const int four = unit * fours + k;
      Vi codes[Vectors];
#pragma GCC unroll 8
      for (int v = 0; v < Vectors; ++v) {
        codes[v] = hn::Load(d, right + four * columns + v * lanes);
      }
#pragma GCC unroll 8
      for (int r = 0; r < Rows; ++r) {
        std::int32_t left;
        std::memcpy(&left, a.codes + (four * Rows + r) * 4, sizeof left);
        const Vi row = hn::Set(d, left);
#pragma GCC unroll 8
        for (int v = 0; v < Vectors; ++v) sum[r][v] = Dot::add(sum[r][v], codes[v], row);
      }
    }
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

/// Vectors of a row of which a step is added at a time, so that all numbers are in registers.
constexpr int at_once = vectors / 2;

/// Else all of A's numbers are broadcast before a loop over columns, and written to memory.
HWY_INLINE void keep_in_loop(gemm_slice& a) {
  asm("" : "+r"(a.codes), "+r"(a.scales), "+r"(a.weights.pairs), "+r"(a.weights.starts));
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
