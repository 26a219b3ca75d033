// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/gemm_dot-inl.h: sums of four products of bytes in every 32 bits; included once
// for each target.
// Source: Intel 64 and IA-32 Architectures Software Developer's Manual, VPDPBUSD, VPMADDUBSW.
#if defined(MX_SIMD_GEMM_DOT_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_GEMM_DOT_INL_H
#undef MX_SIMD_GEMM_DOT_INL_H
#else
#define MX_SIMD_GEMM_DOT_INL_H
#endif

#include <cstdint>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
#undef MX_SIMD_GEMM
#define MX_SIMD_GEMM 1
namespace gemm_kernel {

namespace hn = hwy::HWY_NAMESPACE;
using I32 = hn::CappedTag<std::int32_t, 16>;
using Vi = hn::Vec<I32>;

/// One instruction, by inline assembly since the compiler's target may lack it: AVX-512 VNNI and
/// AVX-VNNI are not targets of Highway, and the caller has checked the processor.
struct dot_of_four {
  static HWY_INLINE Vi add(Vi sum, Vi is_unsigned, Vi is_signed) {
#if HWY_TARGET == HWY_AVX3
    asm("vpdpbusd %2, %1, %0" : "+v"(sum.raw) : "v"(is_unsigned.raw), "v"(is_signed.raw));
#else
    asm("%{vex%} vpdpbusd %2, %1, %0" : "+x"(sum.raw) : "x"(is_unsigned.raw), "x"(is_signed.raw));
#endif
    return sum;
  }
};

/// Three instructions. Two products of at most 24 * 12 do not saturate 16 bits.
struct dot_of_pairs {
  static HWY_INLINE Vi add(Vi sum, Vi is_unsigned, Vi is_signed) {
#if HWY_TARGET == HWY_AVX3
    const __m512i pairs = _mm512_maddubs_epi16(is_unsigned.raw, is_signed.raw);
    return hn::Add(sum, Vi{_mm512_madd_epi16(pairs, _mm512_set1_epi16(1))});
#else
    const __m256i pairs = _mm256_maddubs_epi16(is_unsigned.raw, is_signed.raw);
    return hn::Add(sum, Vi{_mm256_madd_epi16(pairs, _mm256_set1_epi16(1))});
#endif
  }
};

}  // namespace gemm_kernel
#else
#undef MX_SIMD_GEMM
#define MX_SIMD_GEMM 0
#endif
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
