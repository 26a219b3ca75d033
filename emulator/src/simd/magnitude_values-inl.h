// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/magnitude_values-inl.h: codes of an element format to values; included
// once for each target. Equals mx::decode.
#if defined(MX_SIMD_MAGNITUDE_VALUES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_MAGNITUDE_VALUES_INL_H
#undef MX_SIMD_MAGNITUDE_VALUES_INL_H
#else
#define MX_SIMD_MAGNITUDE_VALUES_INL_H
#endif

#include "mx/number/format.h"
#include "simd/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
namespace block_kernel {

/// Values of an element format's magnitudes.
struct magnitude_values {
  Vi hidden, offset, left;
  V smallest;

  explicit HWY_INLINE magnitude_values(const format& f)
      : hidden(hn::Set(I32(), 1 << f.fraction_bits)),
        offset(hn::Set(I32(), (126 + f.emin()) << 23)),
        left(hn::Set(I32(), 23 - f.fraction_bits)),
        smallest(hn::BitCast(F32(), hn::Set(I32(), (127 + f.emin()) << 23))) {}

  /// A subnormal one is read with a hidden bit, in the field of the smallest normal one, and that
  /// bit is subtracted.
  HWY_INLINE V of(Vi code) const {
    const auto subnormal = hn::Lt(code, hidden);
    const Vi raised = hn::Add(code, hn::IfThenElseZero(subnormal, hidden));
    const Vi moved =
        hn::BitCast(I32(), hn::Shl(hn::BitCast(U32(), raised), hn::BitCast(U32(), left)));
    const auto value = hn::BitCast(F32(), hn::Add(moved, offset));
    return hn::Sub(value, hn::IfThenElseZero(hn::RebindMask(F32(), subnormal), smallest));
  }
};

}  // namespace block_kernel
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
