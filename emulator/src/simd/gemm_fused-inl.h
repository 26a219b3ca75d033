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
                             const gemm_slice& b, const gemm_sums& c) {
  const F32 d;
  for (std::uint32_t which = first.vectors_left(); which != 0; which &= which - 1) {
    const int i = __builtin_ctz(which), row = i % Rows, column = i / Rows * lanes;
    const V acc = hn::Load(d, first.before[i]);
    const vector_products<Dot, codes_in_fours<Rows>> products{a, b, {Rows, columns}, row, column};
    const auto scales = vector_scales<Units>::of(products);
    if ((scales.cut_lanes(acc) & first.uncertain[i]) == 0) continue;
    const V all = aligned_sum(products, scales, acc);
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

/// C and the terms of a step for some vectors of columns. If the alignment cuts nothing off their sum is
/// exact: terms have at most 20 bits and lie no more than 33 binades apart, which is 48 bits with C.
template <class Dot, int Units, int Rows>
struct step_sums {
  wide_sums of[Rows][at_once];

  HWY_INLINE step_sums(const gemm_slice& a, const gemm_slice& b, const gemm_sums& c, int column) {
    const F32 d;
    each([&](int r, int v) HWY_ATTR {
      of[r][v] = promoted(hn::LoadU(d, c.values + r * c.stride + column + v * lanes));
    });
    // Unrolled, the sums of all units need more registers than the target has.
#pragma GCC unroll 1
    for (int u = 0; u < Units; ++u) {
      auto sums = unit_sums<Rows, at_once>::from([&](int r) HWY_ATTR { return start(a, u, r); });
      sums.template add<Dot, 64 / Units>(a, b, column, u);
      const float* right = b.scales + u * columns + column;
      each([&](int r, int v) HWY_ATTR {
        const V left = scaled_left(sums.sum[r][v], a, u * Rows + r);
        of[r][v] = added(of[r][v], promoted(hn::Mul(left, hn::Load(d, right + v * lanes))));
      });
    }
  }

 private:
  template <class Work>
  static HWY_INLINE void each(const Work& work) {
    each_vector<Rows, at_once>(work);
  }
  static HWY_INLINE Vi start(const gemm_slice& a, int u, int r) {
    if constexpr (Units == 2) return start_pattern();
    const std::int32_t raised = u % 2 == 0 ? 0 : gemm_weights::raised;
    return hn::Set(I32(), a.weights.starts[u * Rows + r] - raised);
  }
  static HWY_INLINE V scaled_left(Vi sum, const gemm_slice& a, int at) {
    if constexpr (Units == 2) return scaled<32>(sum, a.scales[at], a.starts[at]);
    return hn::Mul(hn::ConvertTo(F32(), sum), hn::Set(F32(), a.scales[at]));
  }
};

/// RZ32(acc + terms) of one step, as if the alignment cut nothing off.
template <class Dot, int Units, int Rows>
HWY_INLINE void add_step(gemm_slice a, const gemm_slice& b, const gemm_sums& c,
                         first_look<Rows>& first) {
  const F32 d;
  const step_bounds<Rows, reach_of<Units>> bounds(a);
#pragma GCC unroll 1
  for (int begin = 0; begin < columns; begin += at_once * lanes) {
    keep_in_loop(a);
    const step_sums<Dot, Units, Rows> sums(a, b, c, begin);
    each_vector<Rows, at_once>([&](int r, int v) HWY_ATTR {
      const int column = begin + v * lanes, i = column / lanes * Rows + r;
      float* out = c.values + r * c.stride + column;
      const V acc = hn::LoadU(d, out), b_high = hn::Load(d, b.high + column);
      const wide_sums& all = sums.of[r][v];
      hn::StoreU(all.cut(), d, out);
      hn::Store(acc, d, first.before[i]);
      first.uncertain[i] = static_cast<std::uint16_t>(
          cut_lanes(bounds, r, b_high, hn::Load(d, b.low + column), acc) &
          uncertain_lanes(all, acc, hn::Mul(hn::Set(d, a.high[r]), b_high)));
    });
  }
}

/// `blackwell.mxf4` and `.mxf4nvf4`: RZ32(acc + terms), with a second look if the bits that the
/// alignment cuts off may change that. A term has two bits below its scales' exponent, and six more
/// if scales have fractions, of the 35 below the largest exponent.
///   Units  scales in a step of 64: 2 or 4
template <class Dot, int Units, int Rows>
HWY_NOINLINE void fused_tile(gemm_slice a, gemm_slice b, int steps, const gemm_sums& c) {
  for (int step = 0; step < steps; ++step) {
    first_look<Rows> first;
    add_step<Dot, Units>(a, b, c, first);
    look_again<Dot, Units>(first, a, b, c);
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
