// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/energy_intervals-inl.h: Q* of E2M1 elements by tables of intervals of |x| /
// amax, on vectors; included once for each target.
#if defined(MX_SIMD_ENERGY_INTERVALS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_ENERGY_INTERVALS_INL_H
#undef MX_SIMD_ENERGY_INTERVALS_INL_H
#else
#define MX_SIMD_ENERGY_INTERVALS_INL_H
#endif

#include "simd/energy_stage-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
#if HWY_NATIVE_FMA

/// A table of eight entries, or of sixteen if they fit a vector: one look-up, or two in vectors of
/// four.
struct table {
  V low, high;  ///< high only where vectors hold four

  static HWY_INLINE table of(const float* entries) {
    return {hn::Load(F32(), entries), hn::Load(F32(), entries + (lanes == 4 ? 4 : 0))};
  }
  /// index  its low three bits, or four for sixteen entries, select an entry
  HWY_INLINE V operator[](Vi index) const {
#if HWY_CAP_GE256
    // The instructions ignore higher bits.
    return hn::TableLookupLanes(low, decltype(hn::IndicesFromVec(F32(), index)){index.raw});
#else
    const I32 di;
    const F32 d;
    const auto indices = hn::IndicesFromVec(d, hn::And(index, hn::Set(di, 3)));
    return hn::IfThenElse(hn::RebindMask(d, hn::TestBit(index, hn::Set(di, 4))),
                          hn::TableLookupLanes(high, indices), hn::TableLookupLanes(low, indices));
#endif
  }
};

/// The ties of Q* as shares of amax: of 6 |x| / amax they are .25, .75, 1.25, 1.75, 2.5, 3.5, 5,
/// each moved by 2^-40 of itself toward the side that decides it: up if the code below is even,
/// down if the one above is.
constexpr double up = (1 + 0x1p-40) / 6, down = (1 - 0x1p-40) / 6;

/// Intervals of 6 |x| / amax, each with at most one tie, well inside: half the value of E2M1 below
/// the tie, half the one above, and the tie. Without a tie both values are equal. The interval of
/// an element is found by a rounded product, which may select the neighbour of the right one; the
/// result is the same, since their common end is far from every tie.
#if HWY_CAP_GE512

/// Interval i extends from (i - 0.5) / 2.25 to (i + 0.5) / 2.25. The end nearest to a tie is
/// 0.5 / 2.25, below 0.25 by more than 0.02. The product is below 13.6, and adding 1.5 * 2^23
/// leaves the number of its interval in the low bits.
constexpr float intervals_of_amax = 6 * 2.25F;
HWY_ALIGN constexpr float halved_below[16] = {0,    0, .25F, .5F, .75F, 1, 1, 1.5F,
                                              1.5F, 2, 2,    2,   3,    3, 3, 3};
HWY_ALIGN constexpr float halved_above[16] = {0, .25F, .5F, .75F, 1, 1, 1.5F, 1.5F,
                                              2, 2,    2,   3,    3, 3, 3,    3};
/// Also the code below it.
HWY_ALIGN constexpr std::int32_t tie_of_interval[16] = {0, 0, 1, 2, 3, 3, 4, 4,
                                                        5, 5, 5, 6, 6, 6, 6, 6};
HWY_ALIGN constexpr double ties_of_amax[8] = {.25 * up, .75 * down, 1.25 * up, 1.75 * down,
                                              2.5 * up, 3.5 * down, 5 * up,    5 * up};

HWY_INLINE Vi interval_of(V magnitude, V inverse) {
  return hn::BitCast(I32(), hn::MulAdd(magnitude, inverse, hn::Set(F32(), 0x3p22F)));
}
/// The same, and the last one for magnitudes above amax.
HWY_INLINE Vi last_interval_or_of(V magnitude, V inverse) {
  const I32 d;
  return hn::Min(interval_of(magnitude, inverse), hn::BitCast(d, hn::Set(F32(), 0x3p22F + 14)));
}

#else

/// Ordered by the bits of 6 |x| / amax: [2, 3), [3, 4), [4, 6), [0, 0.5), [0.5, 0.75), [0.75, 1),
/// [1, 1.5), [1.5, 2). The product must stay below 6.
constexpr float intervals_of_amax = 6 - 0x1p-18F;
/// The code below its tie.
HWY_ALIGN constexpr std::int32_t tie_of_interval[8] = {4, 5, 6, 0, 1, 1, 2, 3};
HWY_ALIGN constexpr float halved_below[8] = {1, 1.5F, 2, 0, .25F, .25F, .5F, .75F};
HWY_ALIGN constexpr float halved_above[8] = {1.5F, 2, 3, .25F, .5F, .5F, .75F, 1};
HWY_ALIGN constexpr double ties_of_amax[8] = {2.5 * up,   3.5 * down, 5 * up,    .25 * up,
                                              .75 * down, .75 * down, 1.25 * up, 1.75 * down};

HWY_INLINE Vi interval_of(V magnitude, V inverse) {
  const V about = hn::Max(hn::Mul(magnitude, inverse), hn::Set(F32(), .4F));
  return hn::ShiftRight<22>(hn::BitCast(I32(), about));
}
HWY_INLINE Vi last_interval_or_of(V magnitude, V inverse) {
  const F32 d;
  const V product = hn::Min(hn::Mul(magnitude, inverse), hn::Set(d, intervals_of_amax));
  return interval_of(product, hn::Set(d, 1));
}

#endif

/// Largest binary32 numbers that are not above the moved ties. A binary32 |x| and k amax / 24 are
/// equal or differ by more than 2^-30 of their size, so neither moving the tie nor rounding it in
/// binary64 changes a decision, and cutting it to binary32 none of a comparison with binary32.
class tie_table {
 public:
  static HWY_INLINE table of(double amax) {
#if HWY_CAP_GE512
    const V ties = hn::ZeroExtendVector(F32(), hn::DemoteTo(F32Half(), cut(amax, 0)));
    const V repeated = hn::TableLookupLanes(ties, hn::SetTableIndices(F32(), tie_of_interval));
    return {repeated, repeated};
#else
    const V low = narrowed({cut(amax, 0), cut(amax, part_lanes)});
    if constexpr (lanes >= 8) return {low, low};
    return {low, narrowed({cut(amax, 8 - lanes), cut(amax, 8 - part_lanes)})};
#endif
  }

 private:
  /// Ties from number `first` on, cut toward zero to the bits of binary32.
  static HWY_INLINE Vd cut(double amax, int first) {
    const F64 d;
    const U64 du;
    const Vd tie = hn::Mul(hn::Load(d, ties_of_amax + first), hn::Set(d, amax));
    return hn::BitCast(d, hn::And(hn::BitCast(du, tie), hn::Set(du, ~std::uint64_t{0x1FFFFFFF})));
  }
};

#endif  // HWY_NATIVE_FMA
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
