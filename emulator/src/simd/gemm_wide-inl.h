// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/gemm_wide-inl.h: vectors of sums in binary64; included once for each target.
#if defined(MX_SIMD_GEMM_WIDE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_GEMM_WIDE_INL_H
#undef MX_SIMD_GEMM_WIDE_INL_H
#else
#define MX_SIMD_GEMM_WIDE_INL_H
#endif

#include "simd/gemm_units-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
#if MX_SIMD_GEMM
namespace gemm_kernel {

/// The bits of a pattern of binary64 that a number of binary32 has.
constexpr std::uint64_t binary32_digits = ~((std::uint64_t{1} << 29) - 1);

/// RZ32 of zero, of Inf and of binary64 numbers that are not subnormal in binary32; may exceed
/// FLT_MAX.
HWY_INLINE W cut_to_binary32(W v) {
  const F64 d;
  const hn::RebindToUnsigned<F64> du;
  return hn::BitCast(d, hn::And(hn::BitCast(du, v), hn::Set(du, binary32_digits)));
}

HWY_INLINE V combined(hn::Vec<F32Half> high, hn::Vec<F32Half> low) {
#if HWY_TARGET == HWY_AVX3
  // hn::Combine fills the upper half with zeros first.
  return V{_mm512_insertf32x8(_mm512_castps256_ps512(low.raw), high.raw, 1)};
#else
  return hn::Combine(F32(), high, low);
#endif
}

/// Both halves of a vector, in binary64.
struct wide_sums {
  W low, high;

  [[nodiscard]] HWY_INLINE V cut() const {
    const F32Half half;
    return combined(hn::DemoteTo(half, cut_to_binary32(high)),
                    hn::DemoteTo(half, cut_to_binary32(low)));
  }
};

HWY_INLINE wide_sums promoted(V numbers) {
  const F64 d;
  const F32Half half;
  return {hn::PromoteTo(d, hn::LowerHalf(half, numbers)),
          hn::PromoteTo(d, hn::UpperHalf(half, numbers))};
}

HWY_INLINE wide_sums added(const wide_sums& a, const wide_sums& b) {
  return {hn::Add(a.low, b.low), hn::Add(a.high, b.high)};
}

}  // namespace gemm_kernel
#endif
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
