// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/gemm_matrix_fused-inl.h: sums by matrices under the models that add a step of
// 64 and C at once and cut the sum toward zero; included once for each target.
#if defined(MX_SIMD_GEMM_MATRIX_FUSED_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_GEMM_MATRIX_FUSED_INL_H
#undef MX_SIMD_GEMM_MATRIX_FUSED_INL_H
#else
#define MX_SIMD_GEMM_MATRIX_FUSED_INL_H
#endif

#include "simd/gemm_matrix_aligned-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
#if HWY_TARGET == HWY_AVX3
namespace matrix_kernel {

constexpr int pair_lines = matrix_exponents::lines;

/// 16 x 32 elements in binary64, so that steps need no conversion; each is a number of binary32.
struct wide_elements {
  alignas(64) double of[lanes][pair_lines];

  explicit HWY_INLINE wide_elements(const matrix_sums& from) {
    each([&](int row, int column) {
      const float* values = from.values + row * from.stride + column;
      _mm512_store_pd(&of[row][column], _mm512_cvtps_pd(_mm256_loadu_ps(values)));
    });
  }
  HWY_INLINE void put_back(const matrix_sums& to) const {
    each([&](int row, int column) {
      const __m256 narrow = _mm512_cvtpd_ps(_mm512_load_pd(&of[row][column]));
      _mm256_storeu_ps(to.values + row * to.stride + column, narrow);
    });
  }

 private:
  template <class Work>
  static HWY_INLINE void each(const Work& work) {
    for (int row = 0; row < lanes; ++row) {
      for (int column = 0; column < pair_lines; column += lanes / 2) work(row, column);
    }
  }
};

HWY_INLINE wide_sums load(const double* from) {
  return {{_mm512_load_pd(from)}, {_mm512_load_pd(from + lanes / 2)}};
}

HWY_INLINE void store(const wide_sums& sums, double* to) {
  _mm512_store_pd(to, sums.low.raw), _mm512_store_pd(to + lanes / 2, sums.high.raw);
}

HWY_INLINE wide_sums cut(const wide_sums& sums) {
  return {gemm_kernel::cut_to_binary32(sums.low), gemm_kernel::cut_to_binary32(sums.high)};
}

/// A step of 16 x 16 elements.
///   first, second  exact sums of the products of each slab
struct step_place {
  int step, row, column;
  const float* first;
  const float* second;
};

/// Steps of 16 x 32 elements.
class fused_steps {
 public:
  fused_steps(const matrix_pair& a, const matrix_pair& b, const matrix_exponents& rows,
              const matrix_exponents& columns, wide_elements& c, const exact_steps& exact)
      : a_(a), b_(b), rows_(rows), columns_(columns), c_(c), exact_(exact) {}

  /// Rows are rechecked in two rounds, so that few of the branches are hard to predict.
  HWY_NOINLINE void add(const step_place& at) const {
    first_look look;
    unsigned cut_rows = add_rows(at, look), uncertain_rows = 0;
    for (; cut_rows != 0; cut_rows &= cut_rows - 1) {
      const int r = __builtin_ctz(cut_rows);
      look.lost[r] &= uncertain_lanes(load(look.sums[r]), exponents_of(at, r), look.before(r));
      uncertain_rows |= (look.lost[r] != 0 ? 1U : 0U) << r;
    }
    for (; uncertain_rows != 0; uncertain_rows &= uncertain_rows - 1) {
      const int r = __builtin_ctz(uncertain_rows);
      align(at, r, look.before(r), look.lost[r]);
    }
  }

 private:
  /// C before the step, sums before the cut, and lanes in which the alignment may cut off bits.
  struct first_look {
    alignas(64) double c[lanes][lanes];
    alignas(64) double sums[lanes][lanes];
    __mmask16 lost[lanes];

    [[nodiscard]] HWY_INLINE __m512 before(int r) const {
      const __m512 low = _mm512_castps256_ps512(_mm512_cvtpd_ps(_mm512_load_pd(c[r])));
      return _mm512_insertf32x8(low, _mm512_cvtpd_ps(_mm512_load_pd(c[r] + lanes / 2)), 1);
    }
  };

  /// RZ32(c + terms), at most 48 bits if nothing is cut off. Returns bits of the rows that may be
  /// cut.
  HWY_INLINE unsigned add_rows(const step_place& at, first_look& look) const {
    const auto wide = [](const float* from) -> wide_sums {
      return {{_mm512_cvtps_pd(_mm256_load_ps(from))}, {_mm512_cvtps_pd(_mm256_load_ps(from + 8))}};
    };
    const float *first = at.first, *second = at.second;
    const std::int32_t* left = left_exponents(at, 0);
    const exponents_of_row right = right_exponents(at);
    double* to = &c_.of[0][at.column];
    unsigned rows = 0;
    for (int r = 0; r < lanes; ++r) {
      const wide_sums c = load(to + r * pair_lines);
      const wide_sums terms = gemm_kernel::added(wide(first + r * lanes), wide(second + r * lanes));
      const wide_sums all = gemm_kernel::added(c, terms);
      look.lost[r] = cut_lanes(c, exponents_of(left + r, right));
      rows |= (look.lost[r] != 0 ? 1U : 0U) << r;
      store(c, look.c[r]), store(all, look.sums[r]);
      store(cut(all), to + r * pair_lines);
    }
    return rows;
  }

  [[nodiscard]] HWY_INLINE const std::int32_t* left_exponents(const step_place& at, int r) const {
    return rows_.exponents + 2 * at.step * pair_lines + at.row + r;
  }
  [[nodiscard]] HWY_INLINE exponents_of_row right_exponents(const step_place& at) const {
    const std::int32_t* of = columns_.exponents + 2 * at.step * pair_lines + at.column;
    const __m512i bias = _mm512_set1_epi32(exponents_of_row::bias);
    return {{_mm512_add_epi32(bias, _mm512_load_si512(of)),
             _mm512_add_epi32(bias, _mm512_load_si512(of + pair_lines))}};
  }
  static HWY_INLINE exponents_of_row exponents_of(const std::int32_t* left,
                                                  const exponents_of_row& right) {
    return {{_mm512_add_epi32(_mm512_set1_epi32(left[0]), right.of[0]),
             _mm512_add_epi32(_mm512_set1_epi32(left[pair_lines]), right.of[1])}};
  }
  [[nodiscard]] HWY_INLINE exponents_of_row exponents_of(const step_place& at, int r) const {
    return exponents_of(left_exponents(at, r), right_exponents(at));
  }

  HWY_INLINE void align(const step_place& at, int r, __m512 before, __mmask16 lost) const {
    const aligned_sums sums = add_aligned(operands(at, r), before);
    const wide_sums values = gemm_kernel::promoted(sums.values.cut());
    double* to = &c_.of[r][at.column];
    _mm512_mask_store_pd(to, static_cast<__mmask8>(lost), values.low.raw);
    _mm512_mask_store_pd(to + lanes / 2, static_cast<__mmask8>(lost >> 8), values.high.raw);
    alignas(64) float c[lanes];
    _mm512_store_ps(c, before);
    for (unsigned left = lost & sums.unknown; HWY_UNLIKELY(left != 0); left &= left - 1) {
      const int lane = __builtin_ctz(left);
      to[lane] = exact_(at.row + r, at.column + lane, at.step, c[lane]);
    }
  }

  [[nodiscard]] HWY_INLINE step_of_row operands(const step_place& at, int r) const {
    const exponents_of_row exponents = exponents_of(at, r);
    step_of_row all;
    const int row = at.row + r;
    for (int u = 0; u < 2; ++u) {
      const int slab = 2 * at.step + u;
      all.row[u] =
          a_.values + row / lanes * a_.next + slab * matrix::values + row % lanes * matrix::depth;
      all.columns[u] = b_.values + at.column / lanes * b_.next + slab * matrix::values;
      all.sums[u] = (u == 0 ? at.first : at.second) + r * lanes;
      all.powers[u] = exponents.power(u);
      const bool none = (rows_.none[slab] >> row & 1) != 0;
      all.counted[u] = static_cast<__mmask16>(none ? 0 : ~(columns_.none[slab] >> at.column));
    }
    return all;
  }

  matrix_pair a_, b_;
  matrix_exponents rows_, columns_;
  wide_elements& c_;
  const exact_steps& exact_;
};

/// Sums of products of a matrix of A with two of B, slab after slab; those of even slabs are in
/// registers 0 and 1, of odd ones in 2 and 3.
class slab_products {
 public:
  slab_products(const std::uint16_t* a, const matrix_pair& b) : a_(a), b_(b) {}

  HWY_INLINE void multiply(int slab) const {
    const matrix_pair a{a_ + slab * matrix::values, 0};
    const matrix_pair b{b_.values + slab * matrix::values, b_.next};
    slab % 2 == 0 ? multiply_from_zero<0>(a, b) : multiply_from_zero<2>(a, b);
  }
  /// Both quarters of a slab's sums.
  HWY_INLINE void store(int slab, float* to) const {
    slab % 2 == 0 ? store_two<0>(to) : store_two<2>(to);
  }

 private:
  const std::uint16_t* a_;
  matrix_pair b_;
};

/// 16 rows of fused_products. The products of the next step are computed while a step is added:
/// half of the elements lie between a multiplication and its store.
HWY_INLINE void fused_rows(const slab_products& products, int slabs, int row,
                           const fused_steps& steps) {
  alignas(64) float sums[2][2][2][quarter];
  const auto store = [&](int slab) { products.store(slab, sums[slab / 2 % 2][slab % 2][0]); };
  products.multiply(0), products.multiply(1);
  store(0), store(1);
  for (int step = 0; step < slabs / 2; ++step) {
    const auto& both = sums[step % 2];
    const int next = 2 * (step + 1);
    const bool more = next < slabs;
    if (more) products.multiply(next);
    steps.add({step, row, 0, both[0][0], both[1][0]});
    if (more) store(next), products.multiply(next + 1);
    steps.add({step, row, lanes, both[0][1], both[1][1]});
    if (more) store(next + 1);
  }
}

/// `blackwell.mxf4`: RZ32(c + aligned terms) of each step.
HWY_NOINLINE void fused_products(const matrix_pair& a, const matrix_pair& b, int slabs,
                                 const matrix_exponents& rows, const matrix_exponents& columns,
                                 const matrix_sums& c, const exact_steps& exact) {
  for (int row = 0; row < pair_lines; row += lanes) {
    wide_elements elements({c.values + row * c.stride, c.stride});
    const fused_steps steps(a, b, rows, columns, elements, exact);
    fused_rows({a.values + row / lanes * a.next, b}, slabs, row, steps);
    elements.put_back({c.values + row * c.stride, c.stride});
  }
}

}  // namespace matrix_kernel
#endif
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
