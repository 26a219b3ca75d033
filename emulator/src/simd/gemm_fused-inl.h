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

/// Sums that the first look has not settled: again, if the alignment cuts something off under the
/// scales of their own lanes.
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

template <int Rows, int Units>
HWY_INLINE void to_next_bounds(gemm_slice& a, gemm_slice& b) {
  a.high += Rows;
  a.low += lows_of<Units> * Rows;
  b.high += columns;
  b.low += lows_of<Units> * columns;
}

/// What a step takes of A: initial values of the sums of a unit and a row, and their products with
/// A's scale.
template <int Units, int Rows>
struct left_numbers {
  const gemm_slice& a;

  explicit HWY_INLINE left_numbers(const gemm_slice& of) : a(of) {}
  static HWY_INLINE Vi start(int /*unit*/, int /*row*/) { return start_pattern(); }
  [[nodiscard]] HWY_INLINE V scaled_sum(Vi sum, int unit, int row) const {
    const int at = unit * Rows + row;
    return scaled<32>(sum, a.scales[at], a.starts[at]);
  }
};

/// Of scales with fractions: sum_start times a scale has no more digits than the scale and 1.5, so
/// that the excess of a sum is a start of its own, an integer.
template <int Rows>
struct left_numbers<4, Rows> {
  const gemm_slice& a;
  HWY_ALIGN std::int32_t starts[4 * Rows];
  HWY_ALIGN float offsets[4 * Rows];

  explicit HWY_INLINE left_numbers(const gemm_slice& of) : a(of) {
    const hn::FixedTag<float, Rows> d;
    const hn::FixedTag<std::int32_t, Rows> di;
    const auto start = hn::Set(d, sum_start);
    const auto number = hn::BitCast(di, start);
#pragma GCC unroll 4
    for (int at = 0; at < 4 * Rows; at += Rows) {
      const auto raised = hn::Set(di, at / Rows % 2 == 0 ? 0 : gemm_weights::raised);
      const auto excess = hn::Sub(hn::LoadU(di, a.weights.starts + at), raised);
      hn::Store(hn::Add(number, excess), di, starts + at);
      hn::Store(hn::Neg(hn::Mul(start, hn::LoadU(d, a.scales + at))), d, offsets + at);
    }
  }
  [[nodiscard]] HWY_INLINE Vi start(int unit, int row) const {
    return hn::Set(I32(), starts[unit * Rows + row]);
  }
  [[nodiscard]] HWY_INLINE V scaled_sum(Vi sum, int unit, int row) const {
    const int at = unit * Rows + row;
    return scaled<32>(sum, a.scales[at], offsets[at]);
  }
};

/// C and the terms of a step for some vectors of columns. If the alignment cuts nothing off their
/// sum is exact: terms have at most 20 bits and lie no more than 33 binades apart, which is 48 bits
/// with C.
template <class Dot, int Units, int Rows>
struct step_sums {
  wide_sums of[Rows][at_once];

  HWY_INLINE step_sums(const gemm_slice& a, const left_numbers<Units, Rows>& left,
                       const gemm_slice& b, const gemm_sums& c, int column) {
    const F32 d;
    each([&](int r, int v) HWY_ATTR {
      of[r][v] = promoted(hn::LoadU(d, c.values + r * c.stride + column + v * lanes));
    });
    // Unrolled, the sums of all units need more registers than the target has.
#pragma GCC unroll 1
    for (int u = 0; u < Units; ++u) {
      auto sums = unit_sums<Rows, at_once>::from([&](int r) HWY_ATTR { return left.start(u, r); });
      sums.template add<Dot, 64 / Units>(a, b, column, u);
      const float* right = b.scales + u * columns + column;
      each([&](int r, int v) HWY_ATTR {
        const V scaled = left.scaled_sum(sums.sum[r][v], u, r);
        of[r][v] = added(of[r][v], promoted(hn::Mul(scaled, hn::Load(d, right + v * lanes))));
      });
    }
  }

 private:
  template <class Work>
  static HWY_INLINE void each(const Work& work) {
    each_vector<Rows, at_once>(work);
  }
};

/// RZ32(acc + terms) of one step, as if the alignment cut nothing off.
template <class Dot, int Units, int Rows>
HWY_INLINE void add_step(gemm_slice a, const gemm_slice& b, const gemm_sums& c,
                         first_look<Rows>& first) {
  const F32 d;
  const step_bounds<Rows, Units> bounds(a);
  const left_numbers<Units, Rows> left(a);
#pragma GCC unroll 1
  for (int begin = 0; begin < columns; begin += at_once * lanes) {
    keep_in_loop(a);
    const step_sums<Dot, Units, Rows> sums(a, left, b, c, begin);
    each_vector<Rows, at_once>([&](int r, int v) HWY_ATTR {
      const int column = begin + v * lanes, i = column / lanes * Rows + r;
      float* out = c.values + r * c.stride + column;
      const V acc = hn::LoadU(d, out), b_high = hn::Load(d, b.high + column);
      const wide_sums& all = sums.of[r][v];
      hn::StoreU(all.cut(), d, out);
      hn::Store(acc, d, first.before[i]);
      first.uncertain[i] = static_cast<std::uint16_t>(
          cut_lanes(bounds, r, b_high, b.low + column, acc) &
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
    to_next_bounds<Rows, Units>(a, b);
    if constexpr (Units == 4) to_next_weights<Rows>(a, b);
  }
}

}  // namespace gemm_kernel
#endif
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
