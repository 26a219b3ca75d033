// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/energy_quantize-inl.h: Q and Q* of E2M1 blocks under powers of two, on vectors;
// included once for each target.
#if defined(MX_SIMD_ENERGY_QUANTIZE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_ENERGY_QUANTIZE_INL_H
#undef MX_SIMD_ENERGY_QUANTIZE_INL_H
#else
#define MX_SIMD_ENERGY_QUANTIZE_INL_H
#endif

#include "simd/energy_intervals-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
#if HWY_NATIVE_FMA

/// Constants of one block for quantizing its elements.
///   amax  2^-100 to 2^100      scale  2^-126 to 2^103
struct energy_frame {
  V scale, largest, inverse;  ///< scale; 6 scale; intervals_of_amax / amax
  table ties;

  /// 3 |Q|, exact. With e the exponent of |x|, or of the scale if that is larger, the grid has the
  /// pitch 2^(e - 1). |x| / 2^22 is below 2^(e - 21), so its sum with 1.5 * 2^e stays in the binade
  /// of 2^e, where binary32 has the pitch 2^(e - 23), not below the least subnormal: one rounding
  /// of the hardware to nearest, ties to the even multiple, since 1.5 * 2^e is an even multiple
  /// itself. The multiples of one pitch, from the second on where it is not the least, have
  /// consecutive codes that begin with an even one: the even multiple has the even code. The
  /// difference is |Q| / 2^22, of two bits.
  HWY_INLINE V tripled(V magnitude) const {
    const F32 d;
    const I32 di;
    const V saturated = hn::Min(magnitude, largest);
    const Vi top = hn::BitCast(di, hn::Max(saturated, scale));
    const V anchor = hn::BitCast(d, hn::OrAnd(hn::Set(di, 0x400000), top, hn::Set(di, 0x7F800000)));
    const V sum = hn::MulAdd(saturated, hn::Set(d, 0x1p-22F), anchor);
    return hn::Mul(hn::Sub(sum, anchor), hn::Set(d, 0x3p22F));
  }

  /// Half the element of Q*.
  HWY_INLINE V halved_ideal(V magnitude, const table& below, const table& above) const {
    const Vi interval = interval_of(magnitude, inverse);
    const auto passed = hn::Gt(magnitude, ties[interval]);
    return hn::IfThenElse(passed, above[interval], below[interval]);
  }
};

/// Quantizes the blocks of the stage, and counts dead elements: those of Q* and Q that are zero,
/// except where x is, which most stages have nowhere.
template <class Columns>
HWY_NOINLINE void quantize_stage(energy_stage& stage, int blocks, Columns columns,
                                 error_energy& counts) {
  const F32 d;
  const V zero = hn::Zero(d);
  const table below = table::of(halved_below), above = table::of(halved_above);
  tally dead, none;
  V least = hn::Inf(d);
  for (int b = 0; b < blocks; ++b) {
    const energy_frame frame{hn::Set(d, stage.scale[b]), hn::Set(d, stage.largest[b]),
                             hn::Set(d, stage.inverse[b]), tie_table::of(stage.amax[b])};
    for (int at = b * columns; at < (b + 1) * columns; at += lanes) {
      const V magnitude = hn::Load(d, stage.magnitude + at);
      const V tripled = frame.tripled(magnitude);
      const V halved = frame.halved_ideal(magnitude, below, above);
      least = hn::Min(least, magnitude);
      dead.add(hn::Eq(halved, zero)), none.add(hn::Eq(tripled, zero));
      hn::Store(tripled, d, stage.tripled + at), hn::Store(halved, d, stage.halved + at);
    }
  }
  const bool has_zeros = !hn::AllTrue(d, hn::Gt(least, zero));
  const std::int64_t zeros = has_zeros ? zeros_of(stage.magnitude, blocks * columns) : 0;
  counts.dead += dead.total() - zeros, counts.dead_actual += none.total() - zeros;
}

#endif  // HWY_NATIVE_FMA
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
