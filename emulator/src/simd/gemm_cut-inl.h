// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/gemm_cut-inl.h: whether the alignment of a step cuts off something that
// matters; included once for each target.
#if defined(MX_SIMD_GEMM_CUT_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_GEMM_CUT_INL_H
#undef MX_SIMD_GEMM_CUT_INL_H
#else
#define MX_SIMD_GEMM_CUT_INL_H
#endif

#include "simd/gemm_wide-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
#if MX_SIMD_GEMM
namespace gemm_kernel {

/// Bounds of A's scales in a step.
///   high   unchanged, and the same 12 binades below
///   reach  Reach + 1 binades above low, from where a term may lose bits
template <int Rows, int Reach>
struct step_bounds {
  float high[Rows], below[Rows], reach[Rows];

  explicit HWY_INLINE step_bounds(const gemm_slice& a) {
    const hn::FixedTag<float, Rows> d;
    constexpr float above = static_cast<float>(std::uint64_t{1} << (Reach + 1));
    const auto a_high = hn::LoadU(d, a.high);
    hn::StoreU(a_high, d, high);
    hn::StoreU(hn::Mul(a_high, hn::Set(d, 0x1p-12F)), d, below);
    hn::StoreU(hn::Mul(hn::LoadU(d, a.low), hn::Set(d, above)), d, reach);
  }
};

/// Bits of the lanes in which the alignment of a step may cut something off C or off a term.
///   C has 24 bits and nothing of it is cut where its exponent is at least the largest one - 12;
///   nothing is cut off a term where the largest exponent is at most Reach above the term's
template <int Rows, int Reach>
HWY_INLINE std::uint64_t cut_lanes(const step_bounds<Rows, Reach>& a, int r, V high, V low, V acc) {
  const F32 d;
  const V size = hn::Abs(acc);
  const auto small =
      hn::And(hn::Lt(size, hn::Mul(hn::Set(d, a.below[r]), high)), hn::Ne(size, hn::Zero(d)));
  const V largest = hn::Max(size, hn::Mul(hn::Set(d, a.high[r]), high));
  const auto large = hn::Ge(largest, hn::Mul(hn::Set(d, a.reach[r]), low));
#if HWY_TARGET == HWY_AVX3
  return hn::Or(small, large).raw;
#else
  std::uint64_t bits = 0;
  hn::StoreMaskBits(d, hn::Or(small, large), reinterpret_cast<std::uint8_t*>(&bits));
  return bits;
#endif
}

/// A bit for each of Rows fields of lane bits that is not zero.
template <int Rows>
HWY_INLINE std::uint32_t rows_with_lanes(std::uint64_t fields) {
  std::uint64_t low = 0, gathered = 0;
  static_assert(Rows <= 4 && Rows * lanes <= 64);
#pragma GCC unroll 4
  for (int r = 0; r < Rows; ++r) {
    low |= std::uint64_t{1} << r * lanes;
    // Moves bits from r * lanes to 3 * lanes + r; no others arrive there, and no two at one place.
    gathered |= std::uint64_t{1} << (3 * lanes + r - r * lanes);
  }
  const std::uint64_t rest = (low << (lanes - 1)) - low;  // all bits but the highest of each field
  const std::uint64_t some = (((fields & rest) + rest) | fields) >> (lanes - 1) & low;
  return static_cast<std::uint32_t>(some * gathered >> 3 * lanes & ((1U << Rows) - 1));
}

HWY_INLINE std::uint64_t differing_lanes(W a, W b) {
  const F64 d;
  std::uint64_t bits = 0;
  hn::StoreMaskBits(d, hn::Ne(a, b), reinterpret_cast<std::uint8_t*>(&bits));
  return bits;
}

/// Bits of the lanes in which the bits that the alignment cuts off may change the result. It cuts
/// less than one unit, 2^-35 of the largest exponent, off C and off each of four groups, and
/// binary64 has rounded by less than 1/16 of a unit: if both ends of that range are truncated to
/// the same number, so is the sum. Inf is unchanged: one end of its range is NaN, which compares as
/// not different.
HWY_INLINE std::uint64_t uncertain_lanes(const wide_sums& sums, V acc, V high) {
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

}  // namespace gemm_kernel
#endif
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
