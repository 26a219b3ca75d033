// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/gemm_aligned-inl.h: steps of `blackwell.mxf4` in which the alignment cuts
// something off, a vector of sums at a time; included once for each target.
#if defined(MX_SIMD_GEMM_ALIGNED_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_GEMM_ALIGNED_INL_H
#undef MX_SIMD_GEMM_ALIGNED_INL_H
#else
#define MX_SIMD_GEMM_ALIGNED_INL_H
#endif

#include "simd/gemm_cut-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
#if MX_SIMD_GEMM
namespace gemm_kernel {

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
