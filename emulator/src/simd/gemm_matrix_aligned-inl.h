// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/gemm_matrix_aligned-inl.h: single steps of `blackwell.mxf4` whose alignment
// cuts something off, 16 columns of a row at a time, and whether that matters, for sums by
// matrices; included once for each target.
// Source: Intel 64 and IA-32 Architectures Software Developer's Manual, VDPBF16PS: sums of products
// in binary32, subnormal numbers taken as zeros. Here every number and sum is normal and exact.
#if defined(MX_SIMD_GEMM_MATRIX_ALIGNED_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_GEMM_MATRIX_ALIGNED_INL_H
#undef MX_SIMD_GEMM_MATRIX_ALIGNED_INL_H
#else
#define MX_SIMD_GEMM_MATRIX_ALIGNED_INL_H
#endif

#include <cstring>

#include "simd/gemm_aligned-inl.h"
#include "simd/gemm_matrix-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
#if HWY_TARGET == HWY_AVX3
namespace matrix_kernel {

namespace hn = hwy::HWY_NAMESPACE;
using gemm_kernel::V;
using gemm_kernel::W;
using gemm_kernel::wide_sums;
constexpr int lanes = matrix::lines;

HWY_INLINE __m512 power_of(__m512 v) {
  const __m512i exponents = _mm512_set1_epi32(0x7F800000);
  return _mm512_castsi512_ps(_mm512_and_si512(_mm512_castps_si512(v), exponents));
}

/// Sums of the first 16 products of a slab, a group, for a row of A and 16 columns; those of the
/// other group are the slab's minus these, exactly.
HWY_INLINE __m512 first_group(const std::uint16_t* row, const std::uint16_t* columns) {
  __m512 sum = _mm512_setzero_ps();
#pragma GCC unroll 8
  for (int pair = 0; pair < 8; ++pair) {
    std::int32_t left;
    std::memcpy(&left, row + 2 * pair, sizeof left);
    const __m512i right = _mm512_load_si512(columns + 2 * lanes * pair);
    asm("vdpbf16ps %2, %1, %0" : "+v"(sum) : "v"(right), "v"(_mm512_set1_epi32(left)));
  }
  return sum;
}

/// v without its bits below 2^-35 of `largest`, a power of two.
HWY_INLINE __m512 aligned(__m512 v, __m512 largest) {
  const auto field = [](__m512 x) {
    return _mm512_srli_epi32(_mm512_castps_si512(power_of(x)), 23);
  };
  const __m512i least = _mm512_sub_epi32(field(largest), _mm512_set1_epi32(35 - 23));
  const __m512i lost = _mm512_max_epi32(_mm512_sub_epi32(least, field(v)), _mm512_setzero_si512());
  const __m512i kept = _mm512_sllv_epi32(_mm512_set1_epi32(-1), lost);
  const __mmask16 some = _mm512_cmplt_epi32_mask(lost, _mm512_set1_epi32(24));
  return _mm512_castsi512_ps(_mm512_maskz_and_epi32(some, _mm512_castps_si512(v), kept));
}

/// The two slabs of a step for a row and 16 columns.
///   row, columns  addresses of the slabs' values
///   sums          of the products of each slab
///   powers        of both scales
///   counted       lanes in which some product may be nonzero
struct step_of_row {
  const std::uint16_t* row[2];
  const std::uint16_t* columns[2];
  const float* sums[2];
  __m512 powers[2];
  __mmask16 counted[2];
};

struct aligned_sums {
  wide_sums values;
  __mmask16 unknown;  ///< lanes that need the core: whether all products are zeros decides there
};

HWY_INLINE aligned_sums add_aligned(const step_of_row& step, __m512 c) {
  __m512 groups[4], largest = power_of(c), unseen = _mm512_setzero_ps();
#pragma GCC unroll 2
  for (int u = 0; u < 2; ++u) {
    groups[2 * u] = first_group(step.row[u], step.columns[u]);
    groups[2 * u + 1] = _mm512_sub_ps(_mm512_load_ps(step.sums[u]), groups[2 * u]);
    const __m512 either = _mm512_or_ps(groups[2 * u], groups[2 * u + 1]);
    const __mmask16 seen = _mm512_cmp_ps_mask(either, _mm512_setzero_ps(), _CMP_NEQ_UQ);
    const auto hidden = static_cast<__mmask16>(step.counted[u] & ~seen);
    largest = _mm512_mask_max_ps(largest, seen, largest, step.powers[u]);
    unseen = _mm512_mask_max_ps(unseen, hidden, unseen, step.powers[u]);
  }
  wide_sums sums = gemm_kernel::promoted(V{aligned(c, largest)});
#pragma GCC unroll 4
  for (const __m512 group : groups) {
    sums = gemm_kernel::added(sums, gemm_kernel::promoted(V{aligned(group, largest)}));
  }
  return {sums, _mm512_cmp_ps_mask(unseen, largest, _CMP_GT_OQ)};
}

/// Exponents of both slabs' scales for a row, times 2^20 as in the upper half of binary64,
/// including its bias.
struct exponents_of_row {
  __m512i of[2];

  static constexpr int bias = 1023 << matrix_exponents::places;
  static HWY_INLINE __m512i times(int exponent) {
    return _mm512_set1_epi32(exponent * (1 << matrix_exponents::places));
  }
  /// As a power of two in binary32.
  [[nodiscard]] HWY_INLINE __m512 power(int slab) const {
    const __m512i exponent = _mm512_sub_epi32(of[slab], times(1023 - 127));
    return _mm512_castsi512_ps(_mm512_slli_epi32(exponent, 23 - matrix_exponents::places));
  }
};

/// Lanes in which the alignment may cut bits off C or off a term, or the sum may be too large: C
/// has 23 bits below its exponent, a term two below its scales' exponent, of the 35 below the
/// largest. Numbers compare as the upper halves of binary64 do; C lies less than one exponent above
/// its power.
HWY_INLINE __mmask16 cut_lanes(const wide_sums& c, const exponents_of_row& scales) {
  const auto times = [](int exponent) { return exponents_of_row::times(exponent); };
  const __m512i upper = _mm512_set_epi32(31, 29, 27, 25, 23, 21, 19, 17, 15, 13, 11, 9, 7, 5, 3, 1);
  const __m512i signs_too = _mm512_permutex2var_epi32(_mm512_castpd_si512(c.low.raw), upper,
                                                      _mm512_castpd_si512(c.high.raw));
  const __m512i size = _mm512_and_si512(signs_too, _mm512_set1_epi32(0x7FFFFFFF));
  const __m512i highest = _mm512_max_epi32(scales.of[0], scales.of[1]);
  const __m512i lowest = _mm512_min_epi32(scales.of[0], scales.of[1]);
  const __m512i largest = _mm512_sub_epi32(_mm512_max_epi32(size, highest), times(34));
  const __m512i least = _mm512_min_epi32(_mm512_sub_epi32(size, times(22)), lowest);
  const __m512i end = _mm512_min_epi32(least, times(1023 + 120 - 34));
  return _mm512_cmpge_epi32_mask(largest, end);
}

/// A unit is 2^-35 of the largest exponent. Units that a step may lose in each lane: less than one
/// of C, less than one of each of the two groups under a scale, and 1/16 by binary64.
HWY_INLINE __m512 lost_units(const exponents_of_row& scales, __m512 c, __m512 largest) {
  const auto two_more = [&](__m512 units, __m512 power) {
    const __m512 start = _mm512_mul_ps(largest, _mm512_set1_ps(0x1p-34F));
    const __mmask16 cut_off = _mm512_cmp_ps_mask(start, power, _CMP_GE_OQ);
    return _mm512_mask_add_ps(units, cut_off, units, _mm512_set1_ps(2));
  };
  const __m512 first = two_more(_mm512_set1_ps(0.125F), scales.power(0));
  const __m512 units = two_more(first, scales.power(1));
  const __m512 reach = _mm512_mul_ps(largest, _mm512_set1_ps(0x1p-12F));
  const __mmask16 small = _mm512_cmp_ps_mask(_mm512_abs_ps(c), reach, _CMP_LT_OQ);
  return _mm512_mask_add_ps(units, small, units, _mm512_set1_ps(1));
}

HWY_INLINE __mmask8 differing_lanes(gemm_kernel::W a, gemm_kernel::W b) {
  return _mm512_cmp_pd_mask(a.raw, b.raw, _CMP_NEQ_UQ);
}

/// Lanes in which the bits that the alignment cuts off may change the result, or the sum may lie
/// beyond binary32: if both ends of the range are truncated to the same number, so is the sum.
HWY_INLINE __mmask16 uncertain_lanes(const wide_sums& sums, const exponents_of_row& scales,
                                     __m512 c) {
  const __m512 highest = _mm512_max_ps(scales.power(0), scales.power(1));
  const __m512 largest = _mm512_max_ps(power_of(c), highest);
  const __m512 range = _mm512_mul_ps(lost_units(scales, c, largest), largest);
  const wide_sums all = gemm_kernel::promoted(V{range});
  const auto differ = [](W sum, W most) {
    const W lost = hn::Mul(most, hn::Set(gemm_kernel::F64(), 0x1p-35));
    return differing_lanes(gemm_kernel::cut_to_binary32(hn::Sub(sum, lost)),
                           gemm_kernel::cut_to_binary32(hn::Add(sum, lost)));
  };
  const __mmask16 large = _mm512_cmp_ps_mask(largest, _mm512_set1_ps(0x1p120F), _CMP_GE_OQ);
  return static_cast<__mmask16>(differ(sums.low, all.low) | differ(sums.high, all.high) << 8) |
         large;
}

}  // namespace matrix_kernel
#endif
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
