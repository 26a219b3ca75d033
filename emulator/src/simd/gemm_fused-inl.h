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
///   before     initial values of the sums
///   uncertain  bits of a vector's lanes
template <int Rows>
struct first_look {
  static constexpr int count = Rows * vectors;
  HWY_ALIGN float before[count][lanes];
  HWY_ALIGN std::uint16_t uncertain[count];

  /// A bit for each vector that has such lanes.
  [[nodiscard]] HWY_INLINE std::uint32_t vectors_left() const {
    const hn::FixedTag<std::uint16_t, count> d;
    std::uint32_t bits = 0;
    const auto some = hn::Ne(hn::Load(d, uncertain), hn::Zero(d));
    hn::StoreMaskBits(d, some, reinterpret_cast<std::uint8_t*>(&bits));
    return bits;
  }
};

/// Sums that the first look has not settled: again, if the alignment cuts something off under the scales
/// of their own lanes.
template <class Dot, int Units, int Rows>
HWY_NOINLINE void look_again(const first_look<Rows>& first, const gemm_slice& a,
                             const gemm_slice& b, const step_sums<Units, Rows>& sums,
                             const gemm_sums& c) {
  const F32 d;
  for (std::uint32_t which = first.vectors_left(); which != 0; which &= which - 1) {
    const int i = __builtin_ctz(which), row = i % Rows, column = i / Rows * lanes;
    const V acc = hn::Load(d, first.before[i]);
    const vector_products<Dot, codes_in_fours<Rows>> products{a, b, {Rows, columns}, row, column};
    const auto scales = vector_scales<Units>::of(products);
    if ((scales.cut_lanes(acc) & first.uncertain[i]) == 0) continue;
    const V all = aligned_sum(products, scales, sums.of(row, i / Rows), acc);
    hn::StoreU(all, d, c.values + row * c.stride + column);
  }
}

template <int Rows>
HWY_INLINE void to_next_bounds(gemm_slice& a, gemm_slice& b) {
  a.high += Rows;
  a.low += Rows;
  b.high += columns;
  b.low += columns;
}

/// RZ32(acc + terms) of one step, as if the alignment cut nothing off.
template <int Units, int Rows>
HWY_INLINE void add_step(const step_sums<Units, Rows>& sums, const gemm_slice& a,
                         const gemm_slice& b, const gemm_sums& c, first_look<Rows>& first) {
  const F32 d;
  const wide_scales<Units, Rows> left(a);
  const step_bounds<Rows, reach_of<Units>> bounds(a);
  const std::int64_t stride = c.stride;
  float* values = c.values;
#pragma GCC unroll 1
  for (int v = 0; v < vectors; ++v, values += lanes) {
    const int column = v * lanes, middle = column + lanes / 2;
    const half_scales<Units> low(b.scales + column), high(b.scales + middle);
    const V b_high = hn::Load(d, b.high + column), b_low = hn::Load(d, b.low + column);
#pragma GCC unroll 8
    for (int r = 0; r < Rows; ++r) {
      float* out = values + r * stride;
      const V acc = hn::LoadU(d, out);
      const wide_sums all{half_added(sums, left, low, r, column, out),
                          half_added(sums, left, high, r, middle, out + lanes / 2)};
      hn::StoreU(all.cut(), d, out);
      hn::Store(acc, d, first.before[v * Rows + r]);
      first.uncertain[v * Rows + r] = static_cast<std::uint16_t>(
          cut_lanes(bounds, r, b_high, b_low, acc) &
          uncertain_lanes(all, acc, hn::Mul(hn::Set(d, a.high[r]), b_high)));
    }
  }
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
    add_step(sums, a, b, c, first);
    look_again<Dot>(first, a, b, sums, c);
    for (int u = 0; u < Units; ++u) to_next_unit<64 / Units, Rows>(a, b);
    to_next_bounds<Rows>(a, b);
    if constexpr (Units == 4) to_next_weights<Rows>(a, b);
  }
}

}  // namespace gemm_kernel
#endif
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
