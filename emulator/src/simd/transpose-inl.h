// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/transpose-inl.h: rows to columns, four columns at a time; included once for
// each target.
#if defined(MX_SIMD_TRANSPOSE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_TRANSPOSE_INL_H
#undef MX_SIMD_TRANSPOSE_INL_H
#else
#define MX_SIMD_TRANSPOSE_INL_H
#endif

#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
namespace transpose_kernel {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR

/// Four elements of every fourth row, of as many rows as D has groups of four lanes.
template <class D>
HWY_INLINE hn::Vec<D> fours(D d, const float* in, std::ptrdiff_t in_stride) {
  constexpr auto lanes = static_cast<std::ptrdiff_t>(hn::MaxLanes(D()));
  if constexpr (lanes == 4) {
    return hn::LoadU(d, in);
  } else {
    const hn::Half<D> half;
    return hn::Combine(d, fours(half, in + lanes / 2 * in_stride, in_stride),
                       fours(half, in, in_stride));
  }
}

/// out[c * out_stride + r] = in[r * in_stride + c] for c < 4 and r below the lanes of D.
template <class D>
HWY_INLINE void turn(D d, const float* in, std::ptrdiff_t in_stride, float* out,
                     std::ptrdiff_t out_stride) {
  const hn::Repartition<double, D> pairs;
  const auto a = fours(d, in, in_stride), b = fours(d, in + in_stride, in_stride);
  const auto c = fours(d, in + 2 * in_stride, in_stride);
  const auto e = fours(d, in + 3 * in_stride, in_stride);
  const auto low_ab = hn::BitCast(pairs, hn::InterleaveLower(d, a, b));
  const auto low_ce = hn::BitCast(pairs, hn::InterleaveLower(d, c, e));
  const auto high_ab = hn::BitCast(pairs, hn::InterleaveUpper(d, a, b));
  const auto high_ce = hn::BitCast(pairs, hn::InterleaveUpper(d, c, e));
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(pairs, low_ab, low_ce)), d, out);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(pairs, low_ab, low_ce)), d, out + out_stride);
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(pairs, high_ab, high_ce)), d, out + 2 * out_stride);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(pairs, high_ab, high_ce)), d, out + 3 * out_stride);
}

/// As many whole groups of rows as there are lanes in D, and their columns, at least four; the last
/// four columns may be stored twice. Returns the number of rows.
template <class D>
HWY_INLINE std::ptrdiff_t turn_rows(D d, const float* in, std::ptrdiff_t in_stride,
                                    std::ptrdiff_t rows, std::ptrdiff_t columns, float* out,
                                    std::ptrdiff_t out_stride) {
  constexpr auto lanes = static_cast<std::ptrdiff_t>(hn::MaxLanes(D()));
  std::ptrdiff_t r = 0;
  for (; r + lanes <= rows; r += lanes) {
    for (std::ptrdiff_t next = 0; next < columns; next += 4) {
      const std::ptrdiff_t c = HWY_MIN(next, columns - 4);
      turn(d, in + r * in_stride + c, in_stride, out + c * out_stride + r, out_stride);
    }
  }
  return r;
}

/// Returns false, without effect, for fewer than four rows or columns. The last four rows may be
/// stored twice.
HWY_INLINE bool turn_all(const float* in, std::ptrdiff_t in_stride, std::ptrdiff_t rows,
                         std::ptrdiff_t columns, float* out, std::ptrdiff_t out_stride) {
  if (rows < 4 || columns < 4) return false;
  const auto some = [&](auto d, std::ptrdiff_t first, std::ptrdiff_t count) {
    return turn_rows(d, in + first * in_stride, in_stride, count, columns, out + first, out_stride);
  };
  const hn::FixedTag<float, 4> four;
  std::ptrdiff_t r = some(hn::CappedTag<float, 16>(), 0, rows);
  r += some(four, r, rows - r);
  if (r < rows) some(four, rows - 4, 4);
  return true;
}

#else

HWY_INLINE bool turn_all(const float*, std::ptrdiff_t, std::ptrdiff_t, std::ptrdiff_t, float*,
                         std::ptrdiff_t) {
  return false;
}

#endif

}  // namespace transpose_kernel

///   out  does not overlap with in
inline void transpose_on_vectors(const float* in, std::ptrdiff_t in_stride, std::ptrdiff_t rows,
                                 std::ptrdiff_t columns, float* out, std::ptrdiff_t out_stride) {
  if (transpose_kernel::turn_all(in, in_stride, rows, columns, out, out_stride)) return;
  for (std::ptrdiff_t r = 0; r < rows; ++r) {
    for (std::ptrdiff_t c = 0; c < columns; ++c) out[c * out_stride + r] = in[r * in_stride + c];
  }
}

}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
