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

template <class D, class Mask>
HWY_INLINE std::uint64_t lane_bits(D d, Mask mask) {
#if HWY_TARGET == HWY_AVX3
  static_cast<void>(d);
  return mask.raw;
#else
  std::uint64_t bits = 0;
  hn::StoreMaskBits(d, mask, reinterpret_cast<std::uint8_t*>(&bits));
  return bits;
#endif
}

/// Binades by which the largest exponent may lie above a term's without cutting bits off it.
///   Units  scales in a step
template <int Units>
constexpr int reach_of = Units == 2 ? 33 : 27;

/// Numbers `low` of a step (dot/gemm_slices.h).
template <int Units>
constexpr int lows_of = Units == 2 ? 1 : Units;

/// Bounds of A's scales in a step.
///   high   unchanged, and the same 12 binades below
///   reach  of each low: reach_of + 1 binades above low, from where a term may lose bits
template <int Rows, int Units>
struct step_bounds {
  static constexpr int lows = lows_of<Units>;
  float high[Rows], below[Rows], reach[lows][Rows];

  explicit HWY_INLINE step_bounds(const gemm_slice& a) {
    const hn::FixedTag<float, Rows> d;
    constexpr float above = static_cast<float>(std::uint64_t{1} << (reach_of<Units> + 1));
    const auto a_high = hn::LoadU(d, a.high);
    hn::StoreU(a_high, d, high);
    hn::StoreU(hn::Mul(a_high, hn::Set(d, 0x1p-12F)), d, below);
#pragma GCC unroll 4
    for (int u = 0; u < lows; ++u) {
      hn::StoreU(hn::Mul(hn::LoadU(d, a.low + u * Rows), hn::Set(d, above)), d, reach[u]);
    }
  }

  /// From where a term of a row and a vector of columns may lose bits.
  ///   low  the first one of B's
  [[nodiscard]] HWY_INLINE V reach_with(const float* low, int r) const {
    const F32 d;
    V least = hn::Mul(hn::Set(d, reach[0][r]), hn::Load(d, low));
#pragma GCC unroll 4
    for (int u = 1; u < lows; ++u) {
      least = hn::Min(least, hn::Mul(hn::Set(d, reach[u][r]), hn::Load(d, low + u * columns)));
    }
    return least;
  }
};

/// Bits of the lanes in which C is smaller than `below` and not zero, or C or `highest` reaches
/// `reach`.
HWY_INLINE std::uint64_t lanes_beyond(V acc, V below, V highest, V reach) {
  const F32 d;
  const V size = hn::Abs(acc);
  const auto small = hn::And(hn::Lt(size, below), hn::Ne(size, hn::Zero(d)));
  return lane_bits(d, hn::Or(small, hn::Ge(hn::Max(size, highest), reach)));
}

/// Bits of the lanes in which the alignment of a step may cut something off C or off a term.
///   C has 24 bits and nothing of it is cut where its exponent is at least the largest one - 12;
///   nothing is cut off a term where the largest exponent is at most reach_of above the term's
///   low  the first one of B's
template <int Rows, int Units>
HWY_INLINE std::uint64_t cut_lanes(const step_bounds<Rows, Units>& a, int r, V high,
                                   const float* low, V acc) {
  const F32 d;
  return lanes_beyond(acc, hn::Mul(hn::Set(d, a.below[r]), high),
                      hn::Mul(hn::Set(d, a.high[r]), high), a.reach_with(low, r));
}

HWY_INLINE V power_of(V number) {
  const I32 d;
  return hn::BitCast(F32(), hn::And(hn::BitCast(d, number), hn::Set(d, 0x7F800000)));
}

/// Bits of the lanes in which the bits that the alignment cuts off may change a sum. The alignment
/// cuts less than one unit, 2^-35 of the largest exponent, off C and off each of four groups, and
/// binary64 has rounded by less than 1/16 of a unit: if both ends of that range are truncated to
/// the same number of binary32, so is the sum.
///   high  power of the largest exponent of a scale
HWY_INLINE std::uint64_t uncertain_lanes(const wide_sums& sums, V acc, V high) {
  const F32 d;
  const F32Half half;
  const V lost = hn::Mul(hn::Max(power_of(acc), high), hn::Set(d, 5.125F * 0x1p-35F));
  const auto differ = [](W sum, hn::Vec<F32Half> range) HWY_ATTR {
    const F64 d64;
    const hn::RebindToUnsigned<F64> du;
    const W most = hn::PromoteTo(d64, range);
    const auto digits =
        hn::Xor(hn::BitCast(du, hn::Sub(sum, most)), hn::BitCast(du, hn::Add(sum, most)));
    const auto kept = hn::Set(du, binary32_digits);
#if HWY_TARGET == HWY_AVX3
    return std::uint64_t{_mm512_test_epi64_mask(digits.raw, kept.raw)};
#else
    return lane_bits(du, hn::Ne(hn::And(digits, kept), hn::Zero(du)));
#endif
  };
  return differ(sums.low, hn::LowerHalf(half, lost)) | differ(sums.high, hn::UpperHalf(half, lost))
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

/// Numbers cut toward zero at 2^-35 of the largest exponent. The last bit of a number of 24 bits
/// lies there if it is 12 binades below.
///   number  zero, normal or Inf
HWY_INLINE V cut_below(V number, V largest) {
  const I32 d;
  const Vi lost = hn::Sub(binades_above(largest, power_of(number)), hn::Set(d, 12));
  // The leading bit is not stored in the pattern: if it is cut too, only the sign remains.
  const Vi place = hn::IfThenElse(hn::Gt(lost, hn::Set(d, 23)), hn::Set(d, 31), lost);
  const Vi inside = hn::Min(hn::Max(place, hn::Zero(d)), hn::Set(d, 31));
  const Vi below = hn::Not(hn::Shl(hn::Set(d, -1), inside));
  return hn::BitCast(F32(), hn::AndNot(below, hn::BitCast(d, number)));
}

/// The products of a step for one vector of sums. Sums over a group of 16 are in quarters: of the
/// products, or of their magnitudes.
///   column  of its first lane
template <class Dot, class Codes>
struct vector_products {
  const gemm_slice& a;
  const gemm_slice& b;
  gemm_tile tile;
  int row, column;

  /// At most 2304 in magnitude.
  [[nodiscard]] HWY_INLINE Vi quarters(int group) const {
    const I32 d;
    const Vi twelves = hn::Set(d, 0x0C0C0C0C);
    Vi sum = hn::Zero(d), raised = hn::Zero(d);
#pragma GCC unroll 4
    for (int four = group * 4; four < group * 4 + 4; ++four) {
      const Vi left = hn::Set(d, Codes::of(a, row, four));
      sum = Dot::add(sum, right(four), left);
      raised = Dot::add(raised, twelves, left);
    }
    return hn::Sub(sum, raised);
  }

  /// Zero if and only if all products are.
  [[nodiscard]] HWY_INLINE Vi magnitudes(int group) const {
    const I32 d;
    const hn::Repartition<std::uint8_t, I32> du;
    const hn::Repartition<std::int8_t, I32> ds;
    const auto twelves = hn::Set(du, 12);
    Vi sum = hn::Zero(d);
#pragma GCC unroll 4
    for (int four = group * 4; four < group * 4 + 4; ++four) {
      const auto raised = hn::BitCast(du, right(four));
      const auto size =
          hn::Or(hn::SaturatedSub(raised, twelves), hn::SaturatedSub(twelves, raised));
      const auto left = hn::Abs(hn::BitCast(ds, hn::Set(d, Codes::of(a, row, four))));
      sum = Dot::add(sum, hn::BitCast(d, size), hn::BitCast(d, left));
    }
    return sum;
  }

 private:
  [[nodiscard]] HWY_INLINE Vi right(int four) const {
    return hn::Load(I32(),
                    reinterpret_cast<const std::int32_t*>(b.codes) + column + four * tile.columns);
  }
};

/// The scales of a step, for one vector of sums.
///   scale  of both factors, a fourth of it      power  of the exponents at which they are read
template <int Units>
struct vector_scales {
  V scale[Units], power[Units];

  template <class Products>
  static HWY_INLINE vector_scales of(const Products& products) {
    const F32 d;
    const gemm_slice &a = products.a, &b = products.b;
    vector_scales all;
#pragma GCC unroll 4
    for (int u = 0; u < Units; ++u) {
      const V own = hn::Set(d, a.scales[u * products.tile.rows + products.row]);
      const V right = hn::Load(d, b.scales + u * products.tile.columns + products.column);
      all.scale[u] = hn::Mul(own, right);
      all.power[u] = hn::Mul(hn::Max(power_of(own), hn::Set(d, a.least)),
                             hn::Max(power_of(right), hn::Set(d, b.least)));
    }
    return all;
  }

  /// As the other one, for the exponents of each lane.
  [[nodiscard]] HWY_INLINE std::uint64_t cut_lanes(V acc) const {
    const F32 d;
    V high = hn::Zero(d), low = hn::Set(d, 0x1p100F);
#pragma GCC unroll 4
    for (int u = 0; u < Units; ++u) {
      const auto counts = hn::Ne(scale[u], hn::Zero(d));
      high = hn::Max(high, hn::IfThenElseZero(counts, power[u]));
      low = hn::Min(low, hn::IfThenElse(counts, power[u], low));
    }
    constexpr float fourth = 4,
                    above = static_cast<float>(std::uint64_t{1} << (reach_of<Units> + 1));
    const V highest = hn::Mul(high, hn::Set(d, fourth));
    return lanes_beyond(acc, hn::Mul(highest, hn::Set(d, 0x1p-12F)), highest,
                        hn::Mul(low, hn::Set(d, fourth * above)));
  }
};

/// The four groups of a step, for one vector of sums.
///   terms   sums of the products times both scales: at most 20 bits
template <int Units>
struct vector_groups {
  V terms[4];
  vector_scales<Units> scales;

  template <class Products>
  static HWY_INLINE vector_groups of(const Products& products, const vector_scales<Units>& scales) {
    vector_groups all;
    all.scales = scales;
#pragma GCC unroll 4
    for (int g = 0; g < 4; ++g) {
      all.terms[g] = hn::Mul(hn::ConvertTo(F32(), products.quarters(g)), scales.scale[unit(g)]);
    }
    return all;
  }

  /// The largest power of C and of the groups that have a nonzero product.
  template <class Products>
  [[nodiscard]] HWY_INLINE V largest(V power_of_c, const Products& products) const {
    const F32 d;
    V certain = power_of_c, possible = power_of_c;
#pragma GCC unroll 4
    for (int g = 0; g < 4; ++g) {
      const V counted = hn::IfThenElseZero(hn::Ne(scales.scale[unit(g)], hn::Zero(d)), place(g));
      certain = hn::Max(certain, hn::IfThenElseZero(hn::Ne(terms[g], hn::Zero(d)), counted));
      possible = hn::Max(possible, counted);
    }
    if (hn::AllTrue(d, hn::Eq(certain, possible))) return certain;
    // Products of a group may add up to zero, and count.
    for (int g = 0; g < 4; ++g) {
      const auto some = hn::RebindMask(d, hn::Ne(products.magnitudes(g), hn::Zero(I32())));
      const auto counts = hn::And(some, hn::Ne(scales.scale[unit(g)], hn::Zero(d)));
      certain = hn::Max(certain, hn::IfThenElseZero(counts, place(g)));
    }
    return certain;
  }

 private:
  static constexpr int unit(int group) { return group * Units / 4; }
  [[nodiscard]] HWY_INLINE V place(int group) const {
    return hn::Mul(scales.power[unit(group)], hn::Set(F32(), 4));
  }
};

/// A step of one vector of sums: RZ32(C + four groups), each cut toward zero at 2^-35 of the
/// largest exponent. What is left are multiples of that, of less than 2^13 times the largest power
/// together: binary64 adds them exactly.
///   acc  zero, normal or Inf
template <int Units, class Products>
HWY_INLINE V aligned_sum(const Products& products, const vector_scales<Units>& scales, V acc) {
  const auto groups = vector_groups<Units>::of(products, scales);
  const V largest = groups.largest(power_of(acc), products);
  wide_sums all = promoted(cut_below(acc, largest));
#pragma GCC unroll 4
  for (const V term : groups.terms) all = added(all, promoted(cut_below(term, largest)));
  return all.cut();
}

}  // namespace gemm_kernel
#endif
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
