// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/step_window-inl.h: steps of fused sums whose terms are cut to a window;
// included once for each target.
#if defined(MX_SIMD_STEP_WINDOW_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_STEP_WINDOW_INL_H
#undef MX_SIMD_STEP_WINDOW_INL_H
#else
#define MX_SIMD_STEP_WINDOW_INL_H
#endif

#include "simd/step_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
#if HWY_TARGET != HWY_SCALAR
namespace step_kernel {

/// The integer toward zero, in binary32. Without the highest of the bits that do not fit, the
/// others are less than half of the last one that does.
///   magnitude  an unsigned integer up to 2^31
HWY_INLINE V cut_to_24_bits(Vi magnitude) {
  const U32 u;
  const Vi excess = hn::BitCast(I32(), hn::ShiftRight<24>(hn::BitCast(u, magnitude)));
  return hn::ConvertTo(F32(), hn::AndNot(excess, magnitude));
}

/// Sums to FP32, toward zero.
struct to_binary32_cut {
  ///   unit  exponent of the sum's last bit
  static HWY_INLINE V rounded(const step_rule& rule, Vi sum, Vi unit, Vi&) {
    const V kept = hn::BitCast(F32(), hn::Set(U32(), rule.kept_bits));
    const V cut = hn::And(cut_to_24_bits(hn::Abs(sum)), kept);
    return with_sign_of(sum, hn::Mul(cut, power(unit)));
  }
  /// RNE of a sum of two results.
  static HWY_INLINE V added(V x, V y, Vi& odd) {
    const V sum = hn::Add(x, y);
    odd = hn::Or(odd, lanes_above(sum, 0x7F7FFFFF));
    return sum;
  }
};

/// Sums to FP16 in binary32, to nearest.
struct to_binary16_nearest {
  /// Adding 1.5 * 2^13 times the power of two at or below x leaves the bits of FP16 as the last
  /// ones; x has no other half of them than its own.
  static HWY_INLINE V nearest(V x, Vi& odd) {
    const I32 d;
    const Vi binade =
        hn::Max(hn::And(hn::BitCast(d, x), hn::Set(d, 0x7F800000)), hn::Set(d, (127 - 14) << 23));
    const V raised = hn::BitCast(F32(), hn::Add(binade, hn::Set(d, (13 << 23) | 0x400000)));
    const V result = hn::Sub(hn::Add(x, raised), raised);
    odd = hn::Or(odd, lanes_above(result, 0x477FFFFF));
    return result;
  }
  /// The sum is cut to 24 bits, the last of which is set where bits were lost.
  static HWY_INLINE V rounded(const step_rule&, Vi sum, Vi unit, Vi& odd) {
    const I32 d;
    const Vi magnitude = hn::Abs(sum);
    const V cut = cut_to_24_bits(magnitude);
    const Vi lost = hn::VecFromMask(d, hn::Ne(truncated(cut), magnitude));
    const V with_last =
        hn::BitCast(F32(), hn::Or(hn::BitCast(d, cut), hn::And(lost, hn::Set(d, 1))));
    return nearest(with_sign_of(sum, hn::Mul(with_last, power(unit))), odd);
  }
  static HWY_INLINE V added(V x, V y, Vi& odd) { return nearest(hn::Add(x, y), odd); }
};

/// What a step multiplies its terms by, so that they are integers above the window's end.
struct window_units {
  Vi last;  ///< exponent of the window's last bit
  V addend, products;
};

/// Scales may push products far below the window: at 2^-60 they are below one unit.
HWY_INLINE V near_power(Vi exponent) {
  const I32 d;
  return power(hn::Min(hn::Max(exponent, hn::Set(d, -60)), hn::Set(d, 100)));
}

///   top  the largest exponent of the products, without scales
template <class P>
HWY_INLINE window_units units_of(const step_rule& rule, const P& p, int v, Vi top, V c, Vi& odd) {
  const I32 d;
  const Vi scale = rule.has_scales ? p.scale(v) : hn::Zero(d);
  const Vi highest = hn::Max(hn::Add(top, scale), addend_exponents(rule, c));
  odd = hn::Or(odd, unsound_lanes(rule, highest));
  const Vi last = hn::Sub(hn::Max(highest, hn::Set(d, rule.least)), hn::Set(d, rule.window));
  const Vi places = hn::Neg(last);
  const bool clamped = rule.has_scales || rule.kind == step_kind::sticky;
  return {last, power(places), clamped ? near_power(hn::Add(places, scale)) : power(places)};
}

/// A step of a truncated fused sum.
template <class Rounding>
struct truncated_steps {
  /// Products [0, fused) and C, in place.
  template <class P>
  static HWY_INLINE void add_fused(const step_rule& rule, const P& p, sums_of_row& sums,
                                   odd_lanes& odd) {
    Vi tops[vectors], all[vectors];
    window_units units[vectors];
    find_tops(p, 0, rule.fused, 1, tops);
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) {
      units[v] = units_of(rule, p, v, tops[v], sums[v], odd[v]);
      all[v] = truncated(hn::Mul(sums[v], units[v].addend));
    }
    for (int first = 0; first < rule.fused; first += rule.partial) {
      add_part(p.from(first), rule.partial, units, all, odd);
    }
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) {
      sums[v] = Rounding::rounded(rule, all[v], units[v].last, odd[v]);
    }
  }

  /// Products whose sum fits, and the lanes in which it carries out of 32 bits.
  template <class P>
  static HWY_INLINE void add_part(const P& p, int count, const window_units (&units)[vectors],
                                  Vi (&all)[vectors], odd_lanes& odd) {
    const I32 d;
    Vi part[vectors];
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) part[v] = hn::Zero(d);
    for (int k = 0; k < count; ++k) {
#pragma GCC unroll 2
      for (int v = 0; v < vectors; ++v) {
        part[v] = hn::Add(part[v], truncated(hn::Mul(p.value(k, v), units[v].products)));
      }
    }
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) {
      const Vi sum = hn::Add(all[v], part[v]);
      odd[v] = hn::Or(odd[v], hn::And(hn::Xor(sum, all[v]), hn::Xor(sum, part[v])));
      all[v] = sum;
    }
  }

  template <class P>
  static HWY_INLINE void add(const step_rule& rule, const P& p, sums_of_row& sums, odd_lanes& odd) {
    if (rule.is_chain()) return add_fused(rule, p, sums, odd);
    sums_of_row span;
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) span[v] = hn::Zero(F32());
    for (int first = 0; first < rule.unit; first += rule.fused) {
      add_fused(rule, p.from(first), span, odd);
    }
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) sums[v] = Rounding::added(sums[v], span[v], odd[v]);
  }
};

/// A step of a fused sum whose lost bits decide its rounding.
struct sticky_steps {
  /// Adds a term; what it loses shows in `lost`.
  static HWY_INLINE void add_term(V term, Vi& sum, Vi& lost) {
    const Vi cut = truncated(term);
    sum = hn::Add(sum, cut);
    lost = hn::Or(lost, magnitude_bits(hn::Sub(term, hn::ConvertTo(F32(), cut))));
  }

  /// To nearest, of 30 bits and the lost ones below; where 24 bits suffice, these are below half of
  /// the last one.
  static HWY_INLINE V rounded(Vi sum, Vi lost, Vi unit) {
    const I32 d;
    const Vi magnitude = hn::Abs(sum);
    const auto some =
        hn::And(hn::Ne(lost, hn::Zero(d)), hn::Gt(magnitude, hn::Set(d, (1 << 24) - 1)));
    const Vi last = hn::And(hn::VecFromMask(d, some), hn::Set(d, 1));
    const V doubled = hn::ConvertTo(F32(), hn::Or(hn::ShiftLeft<1>(magnitude), last));
    return with_sign_of(sum, hn::Mul(doubled, power(hn::Sub(unit, hn::Set(d, 1)))));
  }

  template <class P>
  static HWY_INLINE void add(const step_rule& rule, const P& p, sums_of_row& sums, odd_lanes& odd) {
    const I32 d;
    Vi tops[vectors];
    find_tops(p, 0, rule.fused, 1, tops);
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) {
      const window_units units = units_of(rule, p, v, tops[v], sums[v], odd[v]);
      Vi sum = hn::Zero(d), lost = hn::Zero(d);
      add_term(hn::Mul(sums[v], units.addend), sum, lost);
      for (int k = 0; k < rule.fused; ++k) {
        add_term(hn::Mul(p.value(k, v), units.products), sum, lost);
      }
      sums[v] = rounded(sum, lost, units.last);
    }
  }
};

}  // namespace step_kernel
#endif
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
