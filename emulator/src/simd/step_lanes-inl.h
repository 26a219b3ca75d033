// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/step_lanes-inl.h: sums of outputs, a lane each, their products, and the lanes
// in which a kernel does not support a step;
// included once for each target.
#if defined(MX_SIMD_STEP_LANES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_STEP_LANES_INL_H
#undef MX_SIMD_STEP_LANES_INL_H
#else
#define MX_SIMD_STEP_LANES_INL_H
#endif

#include "dot/step_kernels.h"
#include "simd/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
#if HWY_TARGET != HWY_SCALAR
namespace step_kernel {

constexpr int vectors = 2;
constexpr int columns = vectors * lanes;
static_assert(columns <= step_kernels::most_columns);

using sums_of_row = V[vectors];
/// A negative lane: the kernel does not support its step.
using odd_lanes = Vi[vectors];

/// Elements of one row, the same in every lane, or those of a lane's own row.
struct shared_row {
  static constexpr int stride = 1;
  template <class D>
  static HWY_INLINE hn::Vec<D> of(D d, const hn::TFromD<D>* x, int) {
    return hn::Set(d, *x);
  }
};
struct own_rows {
  static constexpr int stride = columns;
  template <class D>
  static HWY_INLINE hn::Vec<D> of(D d, const hn::TFromD<D>* x, int v) {
    return hn::Load(d, x + v * lanes);
  }
};

/// Products of a unit, lane by lane.
template <class Row>
struct step_products {
  const float *a, *b;
  const std::int32_t *exponents_a, *exponents_b, *scales_a, *scales_b;

  [[nodiscard]] HWY_INLINE V value_a(int k, int v) const {
    return Row::of(F32(), a + k * Row::stride, v);
  }
  [[nodiscard]] HWY_INLINE V value_b(int k, int v) const {
    return hn::Load(F32(), b + k * columns + v * lanes);
  }
  [[nodiscard]] HWY_INLINE V value(int k, int v) const {
    return hn::Mul(value_a(k, v), value_b(k, v));
  }
  [[nodiscard]] HWY_INLINE Vi exponent(int k, int v) const {
    const I32 d;
    return hn::Add(Row::of(d, exponents_a + k * Row::stride, v),
                   hn::Load(d, exponents_b + k * columns + v * lanes));
  }
  /// Of both scales together.
  [[nodiscard]] HWY_INLINE Vi scale(int v) const {
    const I32 d;
    return hn::Add(Row::of(d, scales_a, v), hn::Load(d, scales_b + v * lanes));
  }
  /// The products from number k on.
  [[nodiscard]] HWY_INLINE step_products from(int k) const {
    return {a + k * Row::stride,       b + k * columns, exponents_a + k * Row::stride,
            exponents_b + k * columns, scales_a,        scales_b};
  }
};

/// The largest exponents of products first, first + stride, ... below count.
template <class P>
HWY_INLINE void find_tops(const P& p, int first, int count, int stride, Vi (&tops)[vectors]) {
#pragma GCC unroll 2
  for (int v = 0; v < vectors; ++v) tops[v] = p.exponent(first, v);
  for (int k = first + stride; k < count; k += stride) {
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) tops[v] = hn::Max(tops[v], p.exponent(k, v));
  }
}

/// 2^exponent.
///   exponent  in [-126, 127]
HWY_INLINE V power(Vi exponent) {
  const I32 d;
  return hn::BitCast(F32(), hn::ShiftLeft<23>(hn::Add(exponent, hn::Set(d, 127))));
}

/// The integer part of each lane; unspecified beyond 32 bits, which Highway's conversion would
/// repair.
HWY_INLINE Vi truncated(V x) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  return Vi{_mm512_cvttps_epi32(x.raw)};
#elif HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
  return Vi{_mm256_cvttps_epi32(x.raw)};
#elif HWY_ARCH_X86 && HWY_TARGET <= HWY_SSE2
  return Vi{_mm_cvttps_epi32(x.raw)};
#else
  return hn::ConvertTo(I32(), x);
#endif
}

HWY_INLINE Vi magnitude_bits(V x) {
  return hn::And(hn::BitCast(I32(), x), hn::Set(I32(), magnitude_mask));
}

/// The exponent at which C is read; a zero's is no_number.
///   c  no subnormal binary32 number
HWY_INLINE Vi addend_exponents(const step_rule& rule, V c) {
  const I32 d;
  const Vi field = hn::ShiftRight<23>(magnitude_bits(c));
  const Vi exponent = hn::Max(hn::Sub(field, hn::Set(d, 127)), hn::Set(d, rule.addend_least));
  return hn::IfThenElse(hn::Eq(field, hn::Zero(d)), hn::Set(d, no_number), exponent);
}

/// Negative where a window's exponent lies where the kernels are not exact, unless all terms are
/// zero.
HWY_INLINE Vi unsound_lanes(const step_rule& rule, Vi top) {
  const I32 d;
  const Vi zero = hn::Sub(top, hn::Set(d, no_term));
  const Vi below = hn::Sub(top, hn::Set(d, rule.least_sound));
  const Vi above = hn::Sub(hn::Set(d, rule.most_sound), top);
  return hn::Or(hn::AndNot(zero, below), above);
}

/// Negative where a magnitude's pattern is above `most`.
HWY_INLINE Vi lanes_above(V x, int most) {
  return hn::Sub(hn::Set(I32(), most), magnitude_bits(x));
}

/// x with the sign of an integer.
HWY_INLINE V with_sign_of(Vi integer, V x) {
  const Vi sign = hn::And(integer, hn::Set(I32(), ~magnitude_mask));
  return hn::BitCast(F32(), hn::Or(hn::BitCast(I32(), x), sign));
}

}  // namespace step_kernel
#endif
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
