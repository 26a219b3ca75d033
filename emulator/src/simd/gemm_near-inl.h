// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/gemm_near-inl.h: tiles of products under the models of simd/gemm_fused-inl.h
// whose scales lie so close that no alignment cuts anything off: a step is exact, and only its sum
// is cut toward zero. Included once for each target.
#if defined(MX_SIMD_GEMM_NEAR_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_GEMM_NEAR_INL_H
#undef MX_SIMD_GEMM_NEAR_INL_H
#else
#define MX_SIMD_GEMM_NEAR_INL_H
#endif

#include "simd/gemm_registers-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
#if HWY_TARGET == HWY_AVX3
namespace gemm_kernel {

/// Whether no C of a tile is larger than a number, or NaN.
template <int Rows>
HWY_INLINE bool is_within(const gemm_sums& c, float largest) {
  const F32 d;
  auto within = hn::Eq(hn::Zero(d), hn::Zero(d));
  each_vector<Rows>([&](int r, int v) {
    const V size = hn::Abs(hn::LoadU(d, c.values + r * c.stride + v * lanes));
    within = hn::And(within, hn::Le(size, hn::Set(d, largest)));
  });
  return hn::AllTrue(d, within);
}

/// Sums of both units of a step.
template <int Rows>
struct two_sums {
  unit_sums<Rows> unit[2];

  template <class Dot>
  static HWY_INLINE two_sums of(gemm_slice a, gemm_slice b) {
    two_sums all;
#pragma GCC unroll 2
    for (int u = 0; u < 2; ++u) {
      all.unit[u] = unit_sums<Rows>::template of<Dot, 32>(a, b);
      to_next_unit<32, Rows>(a, b);
    }
    return all;
  }
};

/// Two scales in a step: both terms have at most 24 bits together, and C stays in registers.
template <class Dot, int Rows>
HWY_INLINE void add_steps_of_two(gemm_slice a, gemm_slice b, int steps, const gemm_sums& c) {
  const F32 d;
  V acc[Rows][vectors];
  const auto at = [&](int r, int v) { return c.values + r * c.stride + v * lanes; };
  each_vector<Rows>([&](int r, int v) { acc[r][v] = hn::LoadU(d, at(r, v)); });
  for (int step = 0; step < steps; ++step) {
    const auto sums = two_sums<Rows>::template of<Dot>(a, b);
    each_vector<Rows>([&](int r, int v) {
      const float* right = b.scales + v * lanes;
      const V first = scaled<32>(sums.unit[0].sum[r][v], a.scales[r], a.starts[r]);
      const V second = scaled<32>(sums.unit[1].sum[r][v], a.scales[Rows + r], a.starts[Rows + r]);
      const V both =
          hn::MulAdd(second, hn::Load(d, right + columns), hn::Mul(first, hn::Load(d, right)));
      acc[r][v] =
          V{_mm512_add_round_ps(acc[r][v].raw, both.raw, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC)};
    });
    for (int u = 0; u < 2; ++u) to_next_unit<32, Rows>(a, b);
  }
  each_vector<Rows>([&](int r, int v) { hn::StoreU(acc[r][v], d, at(r, v)); });
}

/// Sums of two units, 16 bits each: that of the first in the upper half. The second one's is raised
/// while it is added, so that it borrows nothing from the first.
///   unit  the first of them
template <class Dot, int Rows, int Vectors>
HWY_INLINE unit_sums<Rows, Vectors> sums_of_two(const gemm_slice& a, const gemm_slice& b,
                                                int column, int unit) {
  const I32 d;
  const std::int32_t* starts = a.weights.starts + unit * Rows;
  auto two = unit_sums<Rows, Vectors>::from([&](int r) HWY_ATTR { return hn::Set(d, starts[r]); });
  two.template add<Dot, 16>(a, b, column, unit);
  each_vector<Rows, Vectors>([&](int r, int v) HWY_ATTR {
    two.sum[r][v] = hn::Add(hn::ShiftLeft<16>(two.sum[r][v]), hn::Set(d, starts[Rows + r]));
  });
  two.template add<Dot, 16>(a, b, column, unit + 1);
  each_vector<Rows, Vectors>([&](int r, int v) HWY_ATTR {
    two.sum[r][v] = hn::Xor(two.sum[r][v], hn::Set(d, gemm_weights::raised));
  });
  return two;
}

/// Integer sums of the products of a step of four units: of each unit's sum times its weights. A
/// unit's sum is below 2^12, and the product of two weights below 2^15.
///   Vectors  as many as fit into the registers beside the sums of two units
template <class Dot, int Rows, int Vectors>
HWY_INLINE unit_sums<Rows, Vectors> weighted_sums(const gemm_slice& a, const gemm_slice& b,
                                                  int column) {
  unit_sums<Rows, Vectors> all;
#pragma GCC unroll 2
  for (int pair = 0; pair < 2; ++pair) {
    const auto two = sums_of_two<Dot, Rows, Vectors>(a, b, column, 2 * pair);
    const std::int32_t* right = b.weights.pairs + pair * columns + column;
    each_vector<Rows, Vectors>([&](int r, int v) HWY_ATTR {
      const __m512i weights =
          _mm512_mullo_epi16(_mm512_load_si512(right + v * lanes),
                             _mm512_set1_epi32(a.weights.pairs[pair * Rows + r]));
      const Vi products{_mm512_madd_epi16(two.sum[r][v].raw, weights)};
      all.sum[r][v] = pair == 0 ? products : hn::Add(all.sum[r][v], products);
    });
  }
  return all;
}

/// C of a tile.
template <int Rows>
struct tile_copy {
  HWY_ALIGN float of[Rows][columns];

  explicit HWY_INLINE tile_copy(const gemm_sums& c) {
    const F32 d;
    each_vector<Rows>([&](int r, int v) {
      hn::Store(hn::LoadU(d, c.values + r * c.stride + v * lanes), d, of[r] + v * lanes);
    });
  }
  HWY_INLINE void put_back(const gemm_sums& c) const {
    const F32 d;
    each_vector<Rows>([&](int r, int v) {
      hn::StoreU(hn::Load(d, of[r] + v * lanes), d, c.values + r * c.stride + v * lanes);
    });
  }
};

/// Four scales in a step: its sum is an integer times a power of two. Returns false, and changes
/// nothing, if an integer is not exact in binary32.
template <class Dot, int Rows>
HWY_INLINE bool add_steps_of_four(gemm_slice a, gemm_slice b, int steps, const gemm_sums& c) {
  const I32 d;
  tile_copy<Rows> sums(c);
  Vi all_bits = hn::Zero(d);
  for (int step = 0; step < steps; ++step) {
    for (int column = 0; column < columns; column += at_once * lanes) {
      keep_in_loop(a);
      const auto terms = weighted_sums<Dot, Rows, at_once>(a, b, column);
#pragma GCC unroll 4
      for (int v = 0; v < at_once; ++v) {
        const Vi right = hn::Load(d, b.weights.powers + column + v * lanes);
#pragma GCC unroll 8
        for (int r = 0; r < Rows; ++r) {
          const Vi term = terms.sum[r][v];
          all_bits = hn::Or(all_bits, hn::Abs(term));
          const Vi power = hn::Add(right, hn::Set(d, a.weights.powers[r]));
          float* to = sums.of[r] + column + v * lanes;
          const V sum = cut_sum_of_two::of(hn::ConvertTo(F32(), term), hn::BitCast(F32(), power),
                                           hn::Load(F32(), to));
          hn::Store(sum, F32(), to);
        }
      }
    }
    for (int u = 0; u < 4; ++u) to_next_unit<16, Rows>(a, b);
    to_next_weights<Rows>(a, b);
  }
  if (!hn::AllTrue(d, hn::Lt(all_bits, hn::Set(d, 1 << 24)))) return false;
  sums.put_back(c);
  return true;
}

/// As fused_tile, where `largest` is the bound of largest_near.
template <class Dot, int Unit, int Rows>
HWY_NOINLINE bool near_tile(gemm_slice a, gemm_slice b, int steps, float largest,
                            const gemm_sums& c) {
  if (!is_within<Rows>(c, largest)) return false;
  if constexpr (Unit == 16) return add_steps_of_four<Dot, Rows>(a, b, steps, c);
  add_steps_of_two<Dot, Rows>(a, b, steps, c);
  return true;
}

}  // namespace gemm_kernel
#endif
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
