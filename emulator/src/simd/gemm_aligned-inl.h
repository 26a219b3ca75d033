// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/gemm_aligned-inl.h: whether the alignment of a step of `blackwell.mxf4` or
// `.mxf4nvf4` cuts off something that matters, and such steps, a vector of sums at a time; included
// once for each target.
#if defined(MX_SIMD_GEMM_ALIGNED_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_GEMM_ALIGNED_INL_H
#undef MX_SIMD_GEMM_ALIGNED_INL_H
#else
#define MX_SIMD_GEMM_ALIGNED_INL_H
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

/// Four bytes of A from a kernel's slice.
///   four  of a step's 16
template <int Rows>
struct codes_in_fours {
  static HWY_INLINE std::int32_t of(const gemm_slice& a, int row, int four) {
    std::int32_t bytes;
    std::memcpy(&bytes, a.codes + (four * Rows + row) * 4, sizeof bytes);
    return bytes;
  }
};

/// Exponent differences of powers of two; far below 0 if `high` is 0.
HWY_INLINE Vi binades_above(V high, V low) {
  const I32 d;
  return hn::ShiftRight<23>(hn::Sub(hn::BitCast(d, high), hn::BitCast(d, low)));
}

/// Bits below a place between 0 and 31.
HWY_INLINE Vi bits_below(Vi place) {
  const I32 d;
  const Vi inside = hn::Min(hn::Max(place, hn::Zero(d)), hn::Set(d, 31));
  return hn::Not(hn::Shl(hn::Set(d, -1), inside));
}

/// Numbers of less than 31 bits, cut toward zero at a place.
HWY_INLINE Vi cut_at(Vi number, Vi below) {
  const Vi negative = hn::BroadcastSignBit(number);
  return hn::AndNot(below, hn::Add(number, hn::And(negative, below)));
}

/// C cut toward zero at 2^-35 of the largest exponent, 12 binades below which its last bit lies there.
HWY_INLINE V cut_sum(V acc, V power, V largest) {
  const I32 d;
  const Vi lost = hn::Sub(binades_above(largest, power), hn::Set(d, 12));
  // The leading bit is not stored in the pattern: if it is cut too, only the sign remains.
  const Vi place = hn::IfThenElse(hn::Gt(lost, hn::Set(d, 23)), hn::Set(d, 31), lost);
  return hn::BitCast(F32(), hn::AndNot(bits_below(place), hn::BitCast(d, acc)));
}

HWY_INLINE V power_of(V number) {
  const I32 d;
  return hn::BitCast(F32(), hn::And(hn::BitCast(d, number), hn::Set(d, 0x7F800000)));
}

/// A vector of sums of a tile.
///   column  of its first lane
///   units   integer sums of its two units, each with the excess of a.starts
struct vector_place {
  int row, column;
  unit_pair units;
};

/// Four times the sum of 16 products, of at most 2304.
template <class Dot, class Codes>
HWY_INLINE Vi group_quarters(const gemm_slice& a, const gemm_slice& b, gemm_tile tile,
                             const vector_place& at, int group) {
  const I32 d;
  const auto* right = reinterpret_cast<const std::int32_t*>(b.codes) + at.column;
  const Vi twelves = hn::Set(d, 0x0C0C0C0C);
  Vi sum = hn::Zero(d), raised = hn::Zero(d);
#pragma GCC unroll 4
  for (int four = group * 4; four < group * 4 + 4; ++four) {
    const Vi left = hn::Set(d, Codes::of(a, at.row, four));
    sum = Dot::add(sum, hn::Load(d, right + four * tile.columns), left);
    raised = Dot::add(raised, twelves, left);
  }
  return hn::Sub(sum, raised);
}

/// The four groups of a step, for one vector of sums.
///   quarters  four times their sums
///   scale     of both factors, a fourth of it
struct vector_groups {
  Vi quarters[4];
  V scale[2];

  template <class Dot, class Codes>
  static HWY_INLINE vector_groups of(const gemm_slice& a, const gemm_slice& b, gemm_tile tile,
                                     const vector_place& at) {
    const F32 d;
    vector_groups all;
#pragma GCC unroll 2
    for (int u = 0; u < 2; ++u) {
      const int left = u * tile.rows + at.row, first = 2 * u;
      all.scale[u] =
          hn::Mul(hn::Set(d, a.scales[left]), hn::Load(d, b.scales + u * tile.columns + at.column));
      // Exact: a start is an integer times the scale, a power of two.
      const auto less = static_cast<std::int32_t>(a.starts[left] / a.scales[left]);
      const Vi both = hn::Add(at.units.of[u], hn::Set(I32(), less));
      all.quarters[first] = group_quarters<Dot, Codes>(a, b, tile, at, first);
      all.quarters[first + 1] = hn::Sub(both, all.quarters[first]);
    }
    return all;
  }

  /// The largest power that certainly counts.
  [[nodiscard]] HWY_INLINE V certain(V power) const {
    const F32 d;
    const I32 di;
#pragma GCC unroll 2
    for (int u = 0; u < 2; ++u) {
      const Vi some = hn::Or(quarters[2 * u], quarters[2 * u + 1]);
      const auto none = hn::RebindMask(d, hn::Eq(some, hn::Zero(di)));
      power = hn::Max(power, hn::IfThenZeroElse(none, hn::Mul(scale[u], hn::Set(d, 4))));
    }
    return power;
  }

  /// The terms of a unit after the cut.
  [[nodiscard]] HWY_INLINE V kept(int unit, V largest) const {
    // scale is two binades below the exponent of both scales, as a quarter's place is.
    const Vi below = bits_below(hn::Sub(binades_above(largest, scale[unit]), hn::Set(I32(), 35)));
    const Vi sum =
        hn::Add(cut_at(quarters[2 * unit], below), cut_at(quarters[2 * unit + 1], below));
    return hn::Mul(hn::ConvertTo(F32(), sum), scale[unit]);
  }
};

/// A step of one vector of sums: RZ32(C + four groups), each cut toward zero at 2^-35 of the largest
/// exponent. What is left are multiples of that, of less than 2^12 times the largest power together:
/// binary64 adds them exactly.
///   doubtful  bits of lanes in which the largest exponent may be that of zeros, which does not
///             count. A group with a nonzero sum has a nonzero product: its exponent and C's are
///             certain
struct aligned_sums {
  V sums;
  std::uint64_t doubtful;

  /// acc  zero, normal or Inf
  template <class Dot, class Codes>
  static HWY_INLINE aligned_sums of(const gemm_slice& a, const gemm_slice& b, gemm_tile tile,
                                    const vector_place& at, V acc) {
    const F32 d;
    const auto groups = vector_groups::of<Dot, Codes>(a, b, tile, at);
    const V power = power_of(acc), certain = groups.certain(power);
    const V high = hn::Mul(hn::Set(d, a.high[at.row]), hn::Load(d, b.high + at.column));
    const V scales = hn::Mul(hn::Max(groups.scale[0], groups.scale[1]), hn::Set(d, 4));
    const V largest = hn::Max(certain, hn::Min(scales, high));
    const wide_sums terms =
        added(promoted(groups.kept(0, largest)), promoted(groups.kept(1, largest)));
    aligned_sums all{added(promoted(cut_sum(acc, power, largest)), terms).cut(), 0};
    hn::StoreMaskBits(d, hn::Ne(certain, largest), reinterpret_cast<std::uint8_t*>(&all.doubtful));
    return all;
  }
};

}  // namespace gemm_kernel
#endif
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
