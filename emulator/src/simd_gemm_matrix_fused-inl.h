// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd_gemm_matrix_fused-inl.h: sums by matrices under the models that add a step of 64 and C
// at once and cut the sum toward zero; included once for each target.
#if defined(MX_SIMD_GEMM_MATRIX_FUSED_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_GEMM_MATRIX_FUSED_INL_H
#undef MX_SIMD_GEMM_MATRIX_FUSED_INL_H
#else
#define MX_SIMD_GEMM_MATRIX_FUSED_INL_H
#endif

#include "simd_gemm_matrix_aligned-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
#if HWY_TARGET == HWY_AVX3
namespace matrix_kernel {

/// c + first + second: at most 48 bits where the alignment cuts nothing off.
HWY_INLINE wide_sums sum_of(__m512 c, const float* first, const float* second) {
  const auto wide = [](const float* from) { return _mm512_cvtps_pd(_mm256_load_ps(from)); };
  return {_mm512_add_pd(lower_half(c), _mm512_add_pd(wide(first), wide(second))),
          _mm512_add_pd(upper_half(c), _mm512_add_pd(wide(first + 8), wide(second + 8)))};
}

/// Products of the scales of both slabs of a step, as powers of two.
struct scales_of_row {
  __m512 powers[2];

  [[nodiscard]] HWY_INLINE __m512 highest() const { return _mm512_max_ps(powers[0], powers[1]); }
  [[nodiscard]] HWY_INLINE __m512 lowest() const { return _mm512_min_ps(powers[0], powers[1]); }
};

/// Lanes in which the alignment may cut something off C or off a term: C has 23 bits below its exponent,
/// a term two below its scales' exponent, of the 35 below the largest. 2 |C| lies above C's power of two.
HWY_INLINE __mmask16 cut_lanes(__m512 c, const scales_of_row& scales) {
  const __m512 size = _mm512_abs_ps(c);
  const __m512 largest =
      _mm512_mul_ps(_mm512_max_ps(size, scales.highest()), _mm512_set1_ps(0x1p-34F));
  const __m512 least =
      _mm512_min_ps(_mm512_mul_ps(size, _mm512_set1_ps(0x1p-22F)), scales.lowest());
  return _mm512_cmp_ps_mask(largest, least, _CMP_GE_OQ);
}

/// A unit is 2^-35 of the largest exponent: units that a step may lose in each lane, of C less than one,
/// of each of the two groups under a scale less than one, and 1/16 by binary64.
HWY_INLINE __m512 lost_units(const scales_of_row& scales, __m512 c, __m512 largest) {
  const auto two_more = [&](__m512 units, __m512 power) {
    const __m512 start = _mm512_mul_ps(largest, _mm512_set1_ps(0x1p-34F));
    const __mmask16 cut_off = _mm512_cmp_ps_mask(start, power, _CMP_GE_OQ);
    return _mm512_mask_add_ps(units, cut_off, units, _mm512_set1_ps(2));
  };
  const __m512 first = two_more(_mm512_set1_ps(0.125F), scales.powers[0]);
  const __m512 units = two_more(first, scales.powers[1]);
  const __m512 reach = _mm512_mul_ps(largest, _mm512_set1_ps(0x1p-12F));
  const __mmask16 small = _mm512_cmp_ps_mask(_mm512_abs_ps(c), reach, _CMP_LT_OQ);
  return _mm512_mask_add_ps(units, small, units, _mm512_set1_ps(1));
}

/// Lanes in which what the alignment cuts off may change the result: where both ends of the range are cut
/// to the same number, so is the sum.
HWY_INLINE __mmask16 uncertain_lanes(const wide_sums& sums, const scales_of_row& scales, __m512 c) {
  const __m512 largest = _mm512_max_ps(power_of(c), scales.highest());
  const __m512 range = _mm512_mul_ps(lost_units(scales, c, largest), largest);
  const auto differ = [](__m512d sum, __m512d most) {
    const __m512d lost = _mm512_mul_pd(most, _mm512_set1_pd(0x1p-35));
    return _mm512_cmp_pd_mask(cut(_mm512_sub_pd(sum, lost)), cut(_mm512_add_pd(sum, lost)),
                              _CMP_NEQ_UQ);
  };
  const unsigned low = differ(sums.low, lower_half(range));
  return static_cast<__mmask16>(low | differ(sums.high, upper_half(range)) << 8);
}

/// A step of 16 x 16 elements.
///   first, second  exact sums of the products of each slab
struct step_place {
  int step, row, column;
  const float* first;
  const float* second;
};

/// Steps of 32 x 32 elements.
class fused_steps {
 public:
  fused_steps(const matrix_pair& a, const matrix_pair& b, const matrix_powers& rows,
              const matrix_powers& columns, const matrix_sums& c, const exact_steps& exact)
      : a_(a), b_(b), rows_(rows), columns_(columns), c_(c), exact_(exact) {}

  /// Rows are looked at again in turns, so that few of the branches are hard to predict.
  void add(const step_place& at) const {
    alignas(64) float before[lanes][lanes];
    alignas(64) double sums[lanes][lanes];
    __mmask16 lost[lanes];
    unsigned cut_rows = 0, uncertain_rows = 0;
    float* to = place_of(at, 0);
    const std::int64_t stride = c_.stride;
    const float *first = at.first, *second = at.second, *left = left_powers(at, 0);
    const __m512 right[2] = {_mm512_load_ps(right_powers(at)),
                             _mm512_load_ps(right_powers(at) + matrix_powers::lines)};
    for (int r = 0; r < lanes; ++r) {
      const __m512 c = _mm512_loadu_ps(to + r * stride);
      const scales_of_row scales = scales_of(left + r, right);
      const wide_sums all = sum_of(c, first + r * lanes, second + r * lanes);
      lost[r] = cut_lanes(c, scales);
      cut_rows |= (lost[r] != 0 ? 1U : 0U) << r;
      _mm512_store_ps(before[r], c);
      _mm512_store_pd(sums[r], all.low), _mm512_store_pd(sums[r] + lanes / 2, all.high);
      _mm512_storeu_ps(to + r * stride, cut(all));
    }
    for (; cut_rows != 0; cut_rows &= cut_rows - 1) {
      const int r = __builtin_ctz(cut_rows);
      const wide_sums all{_mm512_load_pd(sums[r]), _mm512_load_pd(sums[r] + lanes / 2)};
      lost[r] &= uncertain_lanes(all, scales_of(at, r), _mm512_load_ps(before[r]));
      uncertain_rows |= (lost[r] != 0 ? 1U : 0U) << r;
    }
    for (; uncertain_rows != 0; uncertain_rows &= uncertain_rows - 1) {
      const int r = __builtin_ctz(uncertain_rows);
      align(at, r, before[r], lost[r]);
    }
  }

 private:
  [[nodiscard]] HWY_INLINE float* place_of(const step_place& at, int r) const {
    return c_.values + (at.row + r) * c_.stride + at.column;
  }

  [[nodiscard]] HWY_INLINE const float* left_powers(const step_place& at, int r) const {
    return rows_.powers + 2 * at.step * matrix_powers::lines + at.row + r;
  }
  [[nodiscard]] HWY_INLINE const float* right_powers(const step_place& at) const {
    return columns_.powers + 2 * at.step * matrix_powers::lines + at.column;
  }

  static HWY_INLINE scales_of_row scales_of(const float* left, const __m512 (&right)[2]) {
    return {{_mm512_mul_ps(_mm512_set1_ps(left[0]), right[0]),
             _mm512_mul_ps(_mm512_set1_ps(left[matrix_powers::lines]), right[1])}};
  }
  [[nodiscard]] HWY_INLINE scales_of_row scales_of(const step_place& at, int r) const {
    const float* right = right_powers(at);
    return scales_of(left_powers(at, r),
                     {_mm512_load_ps(right), _mm512_load_ps(right + matrix_powers::lines)});
  }

  HWY_INLINE void align(const step_place& at, int r, const float* before, __mmask16 lost) const {
    float* to = place_of(at, r);
    const aligned_sums sums = add_aligned(operands(at, r), _mm512_load_ps(before));
    _mm512_mask_storeu_ps(to, lost, sums.values);
    for (unsigned left = lost & sums.unknown; left != 0; left &= left - 1) {
      const int lane = __builtin_ctz(left);
      to[lane] = exact_(at.row + r, at.column + lane, at.step, before[lane]);
    }
  }

  [[nodiscard]] HWY_INLINE step_of_row operands(const step_place& at, int r) const {
    step_of_row all;
    const int row = at.row + r;
    for (int u = 0; u < 2; ++u) {
      const int slab = 2 * at.step + u;
      all.row[u] =
          a_.values + row / lanes * a_.next + slab * matrix::values + row % lanes * matrix::depth;
      all.columns[u] = b_.values + at.column / lanes * b_.next + slab * matrix::values;
      all.powers[u] = scales_of(at, r).powers[u];
      const bool none = (rows_.none[slab] >> row & 1) != 0;
      all.counted[u] = static_cast<__mmask16>(none ? 0 : ~(columns_.none[slab] >> at.column));
    }
    return all;
  }

  matrix_pair a_, b_;
  matrix_powers rows_, columns_;
  matrix_sums c_;
  const exact_steps& exact_;
};

/// Elements next to each other do not push one another out of a near cache.
HWY_INLINE void copy_elements(const matrix_sums& from, const matrix_sums& to) {
  for (int row = 0; row < matrix_powers::lines; ++row) {
    for (int column = 0; column < matrix_powers::lines; column += lanes) {
      _mm512_storeu_ps(to.values + row * to.stride + column,
                       _mm512_loadu_ps(from.values + row * from.stride + column));
    }
  }
}

/// `blackwell.mxf4`: RZ32(c + aligned terms) of each step. While a step is added up the next one's
/// products are on their way: between a multiplication and its store lies a quarter of the elements.
HWY_NOINLINE void fused_products(const matrix_pair& a, const matrix_pair& b, int slabs,
                                 const matrix_powers& rows, const matrix_powers& columns,
                                 const matrix_sums& c, const exact_steps& exact) {
  alignas(64) float sums[2][2][4][quarter];
  const auto multiply_slab = [&](int slab) {
    clear_sums();
    multiply(left_term<matrix::depth>(a, slab), right_term<matrix::depth>(b, slab));
  };
  const auto store_slab = [&](int slab) { store_sums(sums[slab / 2 % 2][slab % 2][0]); };
  for (int slab = 0; slab < 2; ++slab) multiply_slab(slab), store_slab(slab);
  alignas(64) float near_c[matrix_powers::lines * matrix_powers::lines];
  copy_elements(c, {near_c, matrix_powers::lines});
  const fused_steps elements(a, b, rows, columns, {near_c, matrix_powers::lines}, exact);
  for (int step = 0; step < slabs / 2; ++step) {
    const auto& both = sums[step % 2];
    for (int q = 0; q < 4; ++q) {
      const int slab = 2 * (step + 1) + q / 2;
      if (slab < slabs) {
        if (q % 2 == 0) multiply_slab(slab);
        if (q % 2 == 1) store_slab(slab);
      }
      elements.add({step, q / 2 * lanes, q % 2 * lanes, both[0][q], both[1][q]});
    }
  }
  copy_elements({near_c, matrix_powers::lines}, c);
}

}  // namespace matrix_kernel
#endif
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
