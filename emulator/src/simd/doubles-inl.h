// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/doubles-inl.h: the upper halves of binary64 numbers' patterns; included once
// for each target.
#if defined(MX_SIMD_DOUBLES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_DOUBLES_INL_H
#undef MX_SIMD_DOUBLES_INL_H
#else
#define MX_SIMD_DOUBLES_INL_H
#endif

#include "mx/number/unpacked.h"
#include "simd/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
namespace block_kernel {

#if HWY_TARGET != HWY_SCALAR

/// Upper halves of patterns, their lowest bit set if the lower half has any bit of `looked_at`.
HWY_INLINE Vi halves_joined(Vd low, Vd high, std::uint32_t looked_at) {
  const U32 d;
  const auto a = hn::BitCast(d, low), b = hn::BitCast(d, high);
  const auto lower = hn::And(hn::ConcatEven(d, b, a), hn::Set(d, looked_at));
  return hn::BitCast(I32(), hn::Or(hn::ConcatOdd(d, b, a), hn::Min(lower, hn::Set(d, 1))));
}

/// Exact: the significand has at most 33 bits, the exponent is far from binary64's limits.
[[nodiscard]] inline double exact_double(const unpacked& v) {
  const auto power = static_cast<std::uint64_t>(v.exponent + 1023) << 52;
  return static_cast<double>(v.significand) * __builtin_bit_cast(double, power);
}

#endif

}  // namespace block_kernel
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
