// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/gemm_matrix_lines-inl.h: codes of E2M1 to matrices of bfloat16 (gemm_matrix.h);
// included once for each target.
#if defined(MX_SIMD_GEMM_MATRIX_LINES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_GEMM_MATRIX_LINES_INL_H
#undef MX_SIMD_GEMM_MATRIX_LINES_INL_H
#else
#define MX_SIMD_GEMM_MATRIX_LINES_INL_H
#endif

#include "dot/gemm_matrix.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
#if HWY_TARGET == HWY_AVX3
namespace matrix_kernel {

/// Codes of 32 elements, each in the lowest four bits of 16. Bits above the fifth are ignored, and
/// the table has the same entries for both values of the fifth.
HWY_INLINE __m512i codes_of(const std::uint8_t* line, int slab, code_packing packing) {
  if (packing == code_packing::unpacked) {
    const auto* bytes = reinterpret_cast<const __m256i*>(line + slab * matrix::depth);
    return _mm512_cvtepu8_epi16(_mm256_loadu_si256(bytes));
  }
  const auto* pairs = reinterpret_cast<const __m128i*>(line + slab * matrix::depth / 2);
  const __m512i low = _mm512_cvtepu8_epi32(_mm_loadu_si128(pairs));
  return _mm512_or_si512(low, _mm512_slli_epi32(low, 12));
}

/// Elements times their scales, 32 of a line.
///   Unit  elements that share a scale: 16 or 32
template <int Unit>
HWY_INLINE __m512i elements(const matrix_lines& from, const scaled_codes& table, int line,
                            int slab) {
  const __m512i codes = codes_of(from.codes[line], slab, from.packing);
  if constexpr (Unit == 32) {
    const __m512i values = _mm512_loadu_si512(table[from.scales[line][slab]].data());
    return _mm512_permutexvar_epi16(codes, values);
  }
  const __m512i first = _mm512_loadu_si512(table[from.scales[line][2 * slab]].data());
  const __m512i second = _mm512_loadu_si512(table[from.scales[line][2 * slab + 1]].data());
  return _mm512_mask_permutexvar_epi16(_mm512_permutexvar_epi16(codes, first), 0xFFFF0000, codes,
                                       second);
}

template <int Unit>
void place_left(const matrix_lines& from, const scaled_codes& table, std::uint16_t* to) {
  for (int line = 0; line < matrix::lines; ++line) {
    for (int slab = 0; slab < from.slabs; ++slab) {
      _mm512_store_si512(to + slab * matrix::values + line * matrix::depth,
                         elements<Unit>(from, table, line, slab));
    }
  }
}

/// Transposes 16 x 16 numbers.
HWY_INLINE void transpose(__m512i (&rows)[16]) {
  __m512i of[16];
#pragma GCC unroll 16
  for (int i = 0; i < 16; i += 2) {
    of[i] = _mm512_unpacklo_epi32(rows[i], rows[i + 1]);
    of[i + 1] = _mm512_unpackhi_epi32(rows[i], rows[i + 1]);
  }
  // Columns 4 i + 0, 1, 2, 3 of four rows each, with i the 128-bit part of a register.
#pragma GCC unroll 4
  for (int i = 0; i < 16; i += 4) {
    rows[i] = _mm512_unpacklo_epi64(of[i], of[i + 2]);
    rows[i + 1] = _mm512_unpackhi_epi64(of[i], of[i + 2]);
    rows[i + 2] = _mm512_unpacklo_epi64(of[i + 1], of[i + 3]);
    rows[i + 3] = _mm512_unpackhi_epi64(of[i + 1], of[i + 3]);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    of[i] = _mm512_shuffle_i32x4(rows[i], rows[i + 4], 0x88);
    of[i + 4] = _mm512_shuffle_i32x4(rows[i], rows[i + 4], 0xDD);
    of[i + 8] = _mm512_shuffle_i32x4(rows[i + 8], rows[i + 12], 0x88);
    of[i + 12] = _mm512_shuffle_i32x4(rows[i + 8], rows[i + 12], 0xDD);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    rows[i] = _mm512_shuffle_i32x4(of[i], of[i + 8], 0x88);
    rows[i + 4] = _mm512_shuffle_i32x4(of[i + 4], of[i + 12], 0x88);
    rows[i + 8] = _mm512_shuffle_i32x4(of[i], of[i + 8], 0xDD);
    rows[i + 12] = _mm512_shuffle_i32x4(of[i + 4], of[i + 12], 0xDD);
  }
}

template <int Unit>
void place_right(const matrix_lines& from, const scaled_codes& table, std::uint16_t* to) {
  for (int slab = 0; slab < from.slabs; ++slab) {
    __m512i rows[matrix::lines];
#pragma GCC unroll 16
    for (int line = 0; line < matrix::lines; ++line) {
      rows[line] = elements<Unit>(from, table, line, slab);
    }
    transpose(rows);
#pragma GCC unroll 16
    for (int pair = 0; pair < matrix::depth / 2; ++pair) {
      _mm512_store_si512(to + slab * matrix::values + pair * 2 * matrix::lines, rows[pair]);
    }
  }
}

}  // namespace matrix_kernel
#endif
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
