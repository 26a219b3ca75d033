// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd_gemm_fused-inl.h: tiles of products under the models that add four groups of 16
// and C at once and cut the sum toward zero; included once for each target.
#if defined(MX_SIMD_GEMM_FUSED_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_GEMM_FUSED_INL_H
#undef MX_SIMD_GEMM_FUSED_INL_H
#else
#define MX_SIMD_GEMM_FUSED_INL_H
#endif

#include "simd_gemm_units-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
#if MX_SIMD_GEMM
namespace gemm_kernel {

/// RZ32 of a binary64 number within the normal range of binary32.
HWY_INLINE W cut_to_binary32(W v) {
  const F64 d;
  const hn::RebindToUnsigned<F64> du;
  constexpr std::uint64_t kept = ~((std::uint64_t{1} << 29) - 1);
  return hn::BitCast(d, hn::And(hn::BitCast(du, v), hn::Set(du, kept)));
}

/// Sums of the steps of a tile, four 16ths of K = 64 or two halves with a scale each.
template <int Units, int Rows>
struct step_sums {
  unit_sums<Rows> unit[Units];

  template <class Dot>
  static HWY_INLINE step_sums of(gemm_slice a, gemm_slice b) {
    step_sums all;
#pragma GCC unroll 4
    for (int u = 0; u < Units; ++u) {
      all.unit[u] = unit_sums<Rows>::template of<Dot, 64 / Units>(a, b);
      to_next_unit<64 / Units, Rows>(a, b);
    }
    return all;
  }
};

/// Half of a step's terms added up, exactly: at most 21 bits each, and no more than 33 apart.
template <int Units, int Rows, int Half>
HWY_INLINE W terms(const step_sums<Units, Rows>& sums, const gemm_slice& a, const gemm_slice& b,
                   int r, int v) {
  const F32 d;
  const F64 d64;
  const F32Half half;
  W all = hn::Zero(d64);
#pragma GCC unroll 4
  for (int u = 0; u < Units; ++u) {
    const int row = u * Rows + r;
    const V left = scaled<64 / Units>(sums.unit[u].sum[r][v], a.scales[row], a.starts[row]);
    const V term = hn::Mul(left, hn::Load(d, b.scales + u * columns + v * lanes));
    const auto part = Half == 0 ? hn::LowerHalf(half, term) : hn::UpperHalf(half, term);
    all = u == 0 ? hn::PromoteTo(d64, part) : hn::Add(all, hn::PromoteTo(d64, part));
  }
  return all;
}

/// Both halves of a vector, in binary64.
struct wide_sums {
  W low, high;

  [[nodiscard]] HWY_INLINE V cut() const {
    const F32Half half;
    return hn::Combine(F32(), hn::DemoteTo(half, cut_to_binary32(high)),
                       hn::DemoteTo(half, cut_to_binary32(low)));
  }
};

/// acc + terms of a step. Where the alignment cuts nothing off it is exact: at most 48 bits.
template <int Units, int Rows>
HWY_INLINE wide_sums added(const step_sums<Units, Rows>& sums, const gemm_slice& a,
                           const gemm_slice& b, int r, int v, V acc) {
  const F32Half half;
  const F64 d;
  return {
      hn::Add(hn::PromoteTo(d, hn::LowerHalf(half, acc)), terms<Units, Rows, 0>(sums, a, b, r, v)),
      hn::Add(hn::PromoteTo(d, hn::UpperHalf(half, acc)), terms<Units, Rows, 1>(sums, a, b, r, v))};
}

/// Bits of the lanes in which the alignment of a step may cut something off C or off a term.
///   C has 24 bits and nothing of it is cut where its exponent is at least the largest one - 12;
///   nothing is cut off a term where the largest exponent is at most Reach above the term's
template <int Reach>
HWY_INLINE std::uint64_t cut_lanes(V acc, V high, V low) {
  const F32 d;
  const V size = hn::Abs(acc);
  const auto small =
      hn::And(hn::Lt(size, hn::Mul(high, hn::Set(d, 0x1p-12F))), hn::Ne(size, hn::Zero(d)));
  constexpr float above = static_cast<float>(std::uint64_t{1} << (Reach + 1));
  const auto large = hn::Ge(hn::Max(size, high), hn::Mul(low, hn::Set(d, above)));
  std::uint64_t bits = 0;
  hn::StoreMaskBits(d, hn::Or(small, large), reinterpret_cast<std::uint8_t*>(&bits));
  return bits;
}

HWY_INLINE std::uint64_t differing_lanes(W a, W b) {
  const F64 d;
  std::uint64_t bits = 0;
  hn::StoreMaskBits(d, hn::Ne(a, b), reinterpret_cast<std::uint8_t*>(&bits));
  return bits;
}

/// Bits of the lanes in which what the alignment cuts off may change the result. It cuts less than one
/// unit, 2^-35 of the largest exponent, off C and off each of four groups, and binary64 has rounded
/// by less than 1/16 of a unit: where both ends of that range are cut to the same number, so is the sum.
HWY_NOINLINE std::uint64_t uncertain_lanes(const wide_sums& sums, V acc, V high) {
  const F32 d;
  const F64 d64;
  const I32 di;
  const F32Half half;
  const V power = hn::BitCast(d, hn::And(hn::BitCast(di, acc), hn::Set(di, 0x7F800000)));
  const V largest = hn::Max(power, high);
  const W units = hn::Set(d64, 5.125 * 0x1p-35);
  const W low = hn::Mul(hn::PromoteTo(d64, hn::LowerHalf(half, largest)), units);
  const W upper = hn::Mul(hn::PromoteTo(d64, hn::UpperHalf(half, largest)), units);
  return differing_lanes(cut_to_binary32(hn::Sub(sums.low, low)),
                         cut_to_binary32(hn::Add(sums.low, low))) |
         differing_lanes(cut_to_binary32(hn::Sub(sums.high, upper)),
                         cut_to_binary32(hn::Add(sums.high, upper)))
             << (lanes / 2);
}

template <int Rows>
HWY_INLINE void to_next_bounds(gemm_slice& a, gemm_slice& b) {
  a.high += Rows;
  a.low += Rows;
  b.high += columns;
  b.low += columns;
}

/// `blackwell.mxf4` and `.mxf4nvf4`: RZ32(acc + terms), by the core where what the alignment cuts off
/// may change that. A term has two bits below its scales' exponent, and six more where scales have fractions, of
/// the 35 below the largest exponent.
///   Units  scales in a step of 64: 2 or 4
template <class Dot, int Units, int Rows>
HWY_NOINLINE void fused_tile(gemm_slice a, gemm_slice b, int steps, const gemm_sums& c,
                             const exact_steps& exact) {
  constexpr int reach = Units == 2 ? 33 : 27;
  const F32 d;
  for (int step = 0; step < steps; ++step) {
    const auto sums = step_sums<Units, Rows>::template of<Dot>(a, b);
#pragma GCC unroll 8
    for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 8
      for (int v = 0; v < vectors; ++v) {
        float* out = c.values + r * c.stride + v * lanes;
        const V acc = hn::LoadU(d, out);
        const V high = hn::Mul(hn::Set(d, a.high[r]), hn::Load(d, b.high + v * lanes));
        const V low = hn::Mul(hn::Set(d, a.low[r]), hn::Load(d, b.low + v * lanes));
        std::uint64_t cut = cut_lanes<reach>(acc, high, low);
        const wide_sums all = added<Units, Rows>(sums, a, b, r, v, acc);
        hn::StoreU(all.cut(), d, out);
        if (HWY_UNLIKELY(cut != 0)) cut &= uncertain_lanes(all, acc, high);
        for (; HWY_UNLIKELY(cut != 0); cut &= cut - 1) {
          HWY_ALIGN float before[lanes];
          hn::Store(acc, d, before);
          const int lane = __builtin_ctzll(cut);
          const int column = v * lanes + lane;
          out[lane] = Units == 2 ? aligned_step(a, b, {Rows, columns}, r, column, before[lane])
                                 : exact(r, column, step, before[lane]);
        }
      }
    }
    for (int u = 0; u < Units; ++u) to_next_unit<64 / Units, Rows>(a, b);
    to_next_bounds<Rows>(a, b);
  }
}

}  // namespace gemm_kernel
#endif
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
