// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/gemm_fused-inl.h: tiles of products under the models that add four groups of 16
// and C at once and cut the sum toward zero; included once for each target.
#if defined(MX_SIMD_GEMM_FUSED_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_GEMM_FUSED_INL_H
#undef MX_SIMD_GEMM_FUSED_INL_H
#else
#define MX_SIMD_GEMM_FUSED_INL_H
#endif

#include "simd/gemm_aligned-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
#if MX_SIMD_GEMM
namespace gemm_kernel {

/// First results of a step for the sums of a tile, and the lanes that need a second look. Vector i
/// has row i % Rows and begins with column i / Rows * lanes.
///   before  initial values of the sums      wide  their results, before the cut to binary32
///   cut     for the rows of some columns: bits of lanes in which the alignment may cut off bits
template <int Rows>
struct first_look {
  static constexpr int count = Rows * vectors;
  HWY_ALIGN float before[count][lanes];
  HWY_ALIGN double wide[count][lanes];
  std::uint64_t cut[vectors];

  HWY_INLINE void keep(int i, V acc, const wide_sums& all) {
    const F64 d;
    hn::Store(acc, F32(), before[i]);
    hn::Store(all.low, d, wide[i]);
    hn::Store(all.high, d, wide[i] + lanes / 2);
  }
  /// A bit for each vector that has lanes in `cut`.
  [[nodiscard]] HWY_INLINE std::uint32_t vectors_cut() const {
    std::uint32_t all = 0;
    for (int v = 0; v < vectors; ++v) all |= rows_with_lanes<Rows>(cut[v]) << v * Rows;
    return all;
  }
  /// Bits of a vector's lanes in which the bits cut off may change the result.
  [[nodiscard]] HWY_INLINE std::uint32_t lanes_left(int i, const gemm_slice& a,
                                                    const gemm_slice& b) const {
    const F32 d;
    const F64 d64;
    const int row = i % Rows, v = i / Rows;
    const V high = hn::Mul(hn::Set(d, a.high[row]), hn::Load(d, b.high + v * lanes));
    const wide_sums sums{hn::Load(d64, wide[i]), hn::Load(d64, wide[i] + lanes / 2)};
    const std::uint64_t uncertain = uncertain_lanes(sums, hn::Load(d, before[i]), high);
    return static_cast<std::uint32_t>(cut[v] >> row * lanes & uncertain);
  }
};

/// Sums that the first look has not settled. Vectors are narrowed down first: whether a vector has
/// remaining lanes is hard to predict.
template <class Dot, int Units, int Rows>
HWY_NOINLINE void look_again(const first_look<Rows>& first, const gemm_slice& a,
                             const gemm_slice& b, const step_sums<Units, Rows>& sums,
                             const gemm_sums& c) {
  std::uint32_t which = 0;
  for (std::uint32_t cut = first.vectors_cut(); cut != 0; cut &= cut - 1) {
    const int i = __builtin_ctz(cut);
    which |= static_cast<std::uint32_t>(first.lanes_left(i, a, b) != 0) << i;
  }
  for (; which != 0; which &= which - 1) {
    const int i = __builtin_ctz(which), row = i % Rows, column = i / Rows * lanes;
    const vector_products<Dot, codes_in_fours<Rows>> products{a, b, {Rows, columns}, row, column};
    const V all = aligned_sum(products, sums.of(row, i / Rows), hn::Load(F32(), first.before[i]));
    hn::StoreU(all, F32(), c.values + row * c.stride + column);
  }
}

template <int Rows>
HWY_INLINE void to_next_bounds(gemm_slice& a, gemm_slice& b) {
  a.high += Rows;
  a.low += Rows;
  b.high += columns;
  b.low += columns;
}

/// RZ32(acc + terms) of one step, as if the alignment cut nothing off; returns whether it may have.
template <int Units, int Rows>
HWY_INLINE bool add_step(const step_sums<Units, Rows>& sums, const gemm_slice& a,
                         const gemm_slice& b, const gemm_sums& c, first_look<Rows>& first) {
  const F32 d;
  const wide_scales<Units, Rows> left(a);
  const step_bounds<Rows, Units == 2 ? 33 : 27> bounds(a);
  const std::int64_t stride = c.stride;
  float* values = c.values;
  std::uint64_t some = 0;
#pragma GCC unroll 1
  for (int v = 0; v < vectors; ++v, values += lanes) {
    const int column = v * lanes, middle = column + lanes / 2;
    const half_scales<Units> low(b.scales + column), high(b.scales + middle);
    const V b_high = hn::Load(d, b.high + column), b_low = hn::Load(d, b.low + column);
    std::uint64_t cut = 0;
#pragma GCC unroll 8
    for (int r = 0; r < Rows; ++r) {
      float* out = values + r * stride;
      const V acc = hn::LoadU(d, out);
      const wide_sums all{half_added(sums, left, low, r, column, out),
                          half_added(sums, left, high, r, middle, out + lanes / 2)};
      hn::StoreU(all.cut(), d, out);
      first.keep(v * Rows + r, acc, all);
      cut |= cut_lanes(bounds, r, b_high, b_low, acc) << r * lanes;
    }
    first.cut[v] = cut;
    some |= cut;
  }
  return some != 0;
}

/// `blackwell.mxf4` and `.mxf4nvf4`: RZ32(acc + terms), with a second look if the bits that the
/// alignment cuts off may change that. A term has two bits below its scales' exponent, and six more
/// if scales have fractions, of the 35 below the largest exponent.
///   Units  scales in a step of 64: 2 or 4
template <class Dot, int Units, int Rows>
HWY_NOINLINE void fused_tile(gemm_slice a, gemm_slice b, int steps, const gemm_sums& c) {
  for (int step = 0; step < steps; ++step) {
    step_sums<Units, Rows> sums;
    sums.template fill<Dot>(a, b);
    first_look<Rows> first;
    if (add_step(sums, a, b, c, first)) look_again<Dot>(first, a, b, sums, c);
    for (int u = 0; u < Units; ++u) to_next_unit<64 / Units, Rows>(a, b);
    to_next_bounds<Rows>(a, b);
  }
}

}  // namespace gemm_kernel
#endif
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
