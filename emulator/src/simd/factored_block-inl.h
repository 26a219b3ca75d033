// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/factored_block-inl.h: E2M1 blocks, one in each lane, under the factors
// of macro blocks; included once for each target.
#if defined(MX_SIMD_FACTORED_BLOCK_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_FACTORED_BLOCK_INL_H
#undef MX_SIMD_FACTORED_BLOCK_INL_H
#else
#define MX_SIMD_FACTORED_BLOCK_INL_H
#endif

#include "simd/block_scale-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
#if HWY_NATIVE_FMA

/// The factor of a macro block, and f times amax exactly. Equals mx::macro_factor_of.
struct macro {
  V factor;
  doubles wide_factor;

  HWY_INLINE macro(int bits, V amax) {
    const F32 d;
    const doubles m = widened(hn::IfThenElse(hn::Eq(amax, hn::Zero(d)), hn::Set(d, 6.0F), amax));
    wide_factor = {of(bits, m.low), of(bits, m.high)};
    factor = narrowed(wide_factor);
  }

 private:
  /// floor(6 * 2^(bits + k) / amax) / 2^bits. The quotient is an integer or at least 2^-24 away
  /// from one, so rounding it to binary64 does not change its floor.
  static HWY_INLINE Vd of(int bits, Vd amax) {
    const F64 d;
    const I64 di;
    constexpr std::int64_t half = std::int64_t{1} << 51;
    const auto raised = hn::Add(hn::BitCast(di, amax), hn::Set(di, half - 1));
    const auto field = hn::And(raised, hn::Set(di, 0x7FF0000000000000));  // of 4 * 2^k
    const Vd six = hn::BitCast(d, hn::Or(field, hn::Set(di, half)));
    const double unit = 1.0 / static_cast<double>(std::int64_t{1} << bits);
    const Vd whole = hn::Floor(hn::Div(hn::Mul(six, hn::Set(d, 1 / unit)), amax));
    return hn::Mul(whole, hn::Set(d, unit));
  }
};

/// A block under the factor of its macro block; equals mx::quantize_with_factor.
struct factored_block {
  macro f;
  grid<F64> elements;
  hn::Vec<I64> low, high;

  HWY_INLINE factored_block(const block_kernel::scale_fields<F64>& fields, const macro& of, V amax)
      : f(of), elements(formats::e2m1) {
    const doubles m = widened(amax);
    low = fields.of(hn::Mul(m.low, f.wide_factor.low));
    high = fields.of(hn::Mul(m.high, f.wide_factor.high));
  }
  HWY_INLINE V operator()(V x) const {
    const doubles w = widened(hn::Abs(x));
    const V quantized =
        narrowed({elements.nearest_value(hn::Mul(w.low, f.wide_factor.low), low),
                  elements.nearest_value(hn::Mul(w.high, f.wide_factor.high), high)});
    return hn::CopySign(hn::Div(quantized, f.factor), x);
  }
};

#endif  // HWY_NATIVE_FMA
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
