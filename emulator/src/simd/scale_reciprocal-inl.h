// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/scale_reciprocal-inl.h: reciprocals of scales and tensor scales; included once
// for each target. Equals one over mx::ratio_of, rounded to binary64.
#if defined(MX_SIMD_SCALE_RECIPROCAL_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_SCALE_RECIPROCAL_INL_H
#undef MX_SIMD_SCALE_RECIPROCAL_INL_H
#else
#define MX_SIMD_SCALE_RECIPROCAL_INL_H
#endif

#include <cstdint>

#include "simd/block_scale-inl.h"
#include "simd/doubles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
namespace block_kernel {

#if HWY_TARGET != HWY_SCALAR

/// 1 / (scale * tensor scale), rounded once; 0 for a scale of zero.
class scale_reciprocals {
 public:
  explicit scale_reciprocals(const format& f)
      : fraction_bits_(f.fraction_bits),
        first_normal_(f.lowest_field == lowest_field::subnormal ? 1 << f.fraction_bits : 0),
        offset_(static_cast<std::int64_t>(static_cast<std::uint64_t>(1023 - f.bias) << 52)),
        smallest_(exact_double(unpacked::positive(1, f.emin()))) {}

  /// Whether the exponents of a format's numbers, and of reciprocals, are far from binary64's
  /// limits.
  [[nodiscard]] static bool serves(const format& f) { return f.emin() > -160 && f.emax() < 160; }

  /// Upper half of the largest reciprocal under which FP32's subnormals are dead, with up to 8
  /// random bits too: they are below 2^-126, and give less than 2^-9 of the last place.
  [[nodiscard]] static int last_usual(const format& element) {
    const int last_place = element.emin() - element.fraction_bits;
    return (1023 + 126 + last_place - 10) << 20;
  }

  /// Stands in for a product of zero, whose reciprocal is taken as zero.
  static constexpr double of_zero = 0x1p300;
  /// Upper half of the smallest reciprocal whose products in FP32 are as exact as any.
  static constexpr int first_usual = (1023 - 100) << 20;

  /// Stores the scales of as many blocks from b on as there are lanes, their products with the
  /// tensor scales, and the reciprocals of these.
  ///   factors  the tensor scales
  ///   returns  the upper halves of the reciprocals
  HWY_INLINE Vi store(Vi codes, const doubles& factors, block_part& part, int b) const {
    const I32 d;
    const auto subnormal = hn::VecFromMask(d, hn::Lt(codes, hn::Set(d, first_normal_)));
    const Vi with_hidden = hn::Add(codes, hn::And(subnormal, hn::Set(d, first_normal_)));
    const hn::Half<I32> half;
    const Vd first = scale_of_half(hn::LowerHalf(with_hidden), hn::LowerHalf(subnormal));
    const Vd second =
        scale_of_half(hn::UpperHalf(half, with_hidden), hn::UpperHalf(half, subnormal));
    const F32Half narrow;
    hn::Store(hn::DemoteTo(narrow, first), narrow, part.factors + b);  // exact
    hn::Store(hn::DemoteTo(narrow, second), narrow, part.factors + b + lanes / 2);
    const doubles products{product(first, factors.low), product(second, factors.high)};
    const doubles inverses{inverse(products.low), inverse(products.high)};
    store_doubles(products, part.products + b);
    store_doubles(inverses, part.reciprocals + b);
    hn::Store(narrowed(inverses), F32(), part.inverses + b);
    return halves_joined(inverses.low, inverses.high, 0);
  }

 private:
  /// codes  subnormal ones as if they had a hidden bit, which is subtracted afterwards
  HWY_INLINE Vd scale_of_half(hn::Vec<hn::Half<I32>> codes,
                              hn::Vec<hn::Half<I32>> subnormal) const {
    const F64 d;
    const I64 di;
    const auto fields = hn::ShiftLeftSame(hn::PromoteTo(di, codes), 52 - fraction_bits_);
    const Vd raised = hn::BitCast(d, hn::Add(fields, hn::Set(di, offset_)));
    const Vd hidden = hn::And(hn::BitCast(d, hn::PromoteTo(di, subnormal)), hn::Set(d, smallest_));
    return hn::Sub(raised, hidden);
  }

  static HWY_INLINE Vd product(Vd scale, Vd factors) {
    const F64 d;
    const auto zero = hn::Eq(scale, hn::Zero(d));
    return hn::IfThenElse(zero, hn::Set(d, of_zero), hn::Mul(scale, factors));
  }
  static HWY_INLINE Vd inverse(Vd product) {
    const F64 d;
    const auto zero = hn::Eq(product, hn::Set(d, of_zero));
    return hn::IfThenZeroElse(zero, hn::Div(hn::Set(d, 1), product));
  }
  static HWY_INLINE void store_doubles(const doubles& numbers, double* to) {
    hn::Store(numbers.low, F64(), to);
    hn::Store(numbers.high, F64(), to + lanes / 2);
  }

  int fraction_bits_, first_normal_;
  std::int64_t offset_;  ///< from a code's exponent field to that of binary64
  double smallest_;      ///< value of a hidden bit in the lowest field
};

#endif

}  // namespace block_kernel
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
