// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/gemm_matrix-inl.h: sums of 32 x 32 elements by matrices of bfloat16; included
// once for each target.
// Source: Intel 64 and IA-32 Architectures Software Developer's Manual, TDPBF16PS: sums of products
// in binary32, subnormal numbers taken as zeros. Here every number and sum is normal and exact.
#if defined(MX_SIMD_GEMM_MATRIX_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_GEMM_MATRIX_INL_H
#undef MX_SIMD_GEMM_MATRIX_INL_H
#else
#define MX_SIMD_GEMM_MATRIX_INL_H
#endif

#include <algorithm>
#include <cstdint>

#include "dot/gemm_matrix.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
#if HWY_TARGET == HWY_AVX3
namespace matrix_kernel {

/// Operand of LDTILECFG: palette 1; for each of eight registers the bytes of a row and the rows.
struct alignas(64) configuration {
  std::uint8_t palette = 1, start_row = 0, reserved[14] = {};
  std::uint16_t row_bytes[16] = {};
  std::uint8_t rows[16] = {};
};

/// Registers 0 to 3 hold sums, 4 and 5 A, 6 and 7 B.
///   Depth  elements of k that are added at a time
template <int Depth>
void begin() {
  configuration all;
  for (int i = 0; i < 8; ++i) {
    all.row_bytes[i] = i == 4 || i == 5 ? Depth * 2 : 64;
    all.rows[i] = i >= 6 ? Depth / 2 : matrix::lines;
  }
  asm volatile("ldtilecfg %0" : : "m"(all));
}

inline void end() { asm volatile("tilerelease" : :); }

inline void clear_sums() {
  asm volatile("tilezero %%tmm0\n\ttilezero %%tmm1\n\ttilezero %%tmm2\n\ttilezero %%tmm3" : :);
}

/// Adds the products of two matrices of A with two of B.
inline void multiply(const matrix_pair& a, const matrix_pair& b) {
  asm volatile(
      "tileloadd (%[a],%[row]), %%tmm4\n\t"
      "tileloadd (%[b],%[row]), %%tmm6\n\t"
      "tdpbf16ps %%tmm6, %%tmm4, %%tmm0\n\t"
      "tileloadd (%[next_b],%[row]), %%tmm7\n\t"
      "tdpbf16ps %%tmm7, %%tmm4, %%tmm1\n\t"
      "tileloadd (%[next_a],%[row]), %%tmm5\n\t"
      "tdpbf16ps %%tmm6, %%tmm5, %%tmm2\n\t"
      "tdpbf16ps %%tmm7, %%tmm5, %%tmm3"
      :
      : [a] "r"(a.values), [next_a] "r"(a.values + a.next), [b] "r"(b.values),
        [next_b] "r"(b.values + b.next), [row] "r"(std::int64_t{64})
      : "memory");
}

/// Sums of the products of a matrix of A with two of B, from zero, in two registers.
///   First  0 or 2
template <int First>
inline void multiply_from_zero(const matrix_pair& a, const matrix_pair& b) {
  asm volatile(
      "tilezero %%tmm%c[first]\n\ttilezero %%tmm%c[second]\n\t"
      "tileloadd (%[a],%[row]), %%tmm4\n\t"
      "tileloadd (%[b],%[row]), %%tmm6\n\t"
      "tdpbf16ps %%tmm6, %%tmm4, %%tmm%c[first]\n\t"
      "tileloadd (%[next_b],%[row]), %%tmm7\n\t"
      "tdpbf16ps %%tmm7, %%tmm4, %%tmm%c[second]"
      :
      : [a] "r"(a.values), [b] "r"(b.values), [next_b] "r"(b.values + b.next),
        [row] "r"(std::int64_t{64}), [first] "i"(First), [second] "i"(First + 1)
      : "memory");
}

constexpr int quarter = matrix::lines * matrix::lines;

/// Two quarters of 16 x 16 sums, one after another, from registers First and First + 1.
template <int First>
inline void store_two(float* to) {
  asm volatile(
      "tilestored %%tmm%c[first], (%[to],%[row])\n\ttilestored %%tmm%c[second], (%[next],%[row])"
      :
      : [to] "r"(to), [next] "r"(to + quarter), [row] "r"(std::int64_t{64}), [first] "i"(First),
        [second] "i"(First + 1)
      : "memory");
}

/// Four of them.
inline void store_sums(float* to) { store_two<0>(to), store_two<2>(to + 2 * quarter); }

/// The matrices of term `i`: a slab, or half of one.
template <int Depth>
HWY_INLINE matrix_pair left_term(const matrix_pair& a, int i) {
  constexpr int terms = matrix::depth / Depth;
  return {a.values + i / terms * matrix::values + i % terms * Depth, a.next};
}

template <int Depth>
HWY_INLINE matrix_pair right_term(const matrix_pair& b, int i) {
  return {b.values + i * Depth * matrix::lines, b.next};
}

struct to_nearest {
  static HWY_INLINE __m512 add(__m512 a, __m512 b) { return _mm512_add_ps(a, b); }
};

struct toward_zero {
  static HWY_INLINE __m512 add(__m512 a, __m512 b) {
    return _mm512_add_round_ps(a, b, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
  }
};

/// Adds `count` sums to each of 16 x 16 elements, one after another.
template <class Rounding>
HWY_INLINE void add_quarters(const float* sums, int count, float* to, std::int64_t stride) {
  __m512 all[matrix::lines];
#pragma GCC unroll 16
  for (int r = 0; r < matrix::lines; ++r) all[r] = _mm512_loadu_ps(to + r * stride);
  for (int i = 0; i < count; ++i) {
    const float* next = sums + i * 4 * quarter;
#pragma GCC unroll 16
    for (int r = 0; r < matrix::lines; ++r) {
      all[r] = Rounding::add(all[r], _mm512_load_ps(next + r * matrix::lines));
    }
  }
#pragma GCC unroll 16
  for (int r = 0; r < matrix::lines; ++r) _mm512_storeu_ps(to + r * stride, all[r]);
}

/// Adds exact sums of Terms * Depth products to 32 x 32 elements, one rounding each.
template <class Rounding, int Depth, int Terms>
HWY_NOINLINE void add_products(const matrix_pair& a, const matrix_pair& b, int slabs,
                               const matrix_sums& c) {
  constexpr int most = 4;  // sums between two visits of the elements: 16 KiB of a near cache
  alignas(64) float sums[most * 4 * quarter];
  const int all = slabs * matrix::depth / (Depth * Terms);
  for (int first = 0; first < all; first += most) {
    const int count = std::min(most, all - first);
    for (int i = 0; i < count; ++i) {
      clear_sums();
      for (int t = 0; t < Terms; ++t) {
        const int term = (first + i) * Terms + t;
        multiply(left_term<Depth>(a, term), right_term<Depth>(b, term));
      }
      store_sums(sums + i * 4 * quarter);
    }
    for (int q = 0; q < 4; ++q) {
      float* to = c.values + q / 2 * matrix::lines * c.stride + q % 2 * matrix::lines;
      add_quarters<Rounding>(sums + q * quarter, count, to, c.stride);
    }
  }
}

}  // namespace matrix_kernel
#endif
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
