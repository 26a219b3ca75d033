// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/transpose-inl.h: rows to columns, four by four; included once for each target.
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

/// out[c * out_stride + r] = in[r * in_stride + c] for r, c < 4.
HWY_INLINE void square(const float* in, std::ptrdiff_t in_stride, float* out,
                       std::ptrdiff_t out_stride) {
  const hn::FixedTag<float, 4> d;
  const hn::FixedTag<double, 2> pairs;
  const auto a = hn::LoadU(d, in), b = hn::LoadU(d, in + in_stride);
  const auto c = hn::LoadU(d, in + 2 * in_stride), e = hn::LoadU(d, in + 3 * in_stride);
  const auto low_ab = hn::BitCast(pairs, hn::InterleaveLower(d, a, b));
  const auto low_ce = hn::BitCast(pairs, hn::InterleaveLower(d, c, e));
  const auto high_ab = hn::BitCast(pairs, hn::InterleaveUpper(d, a, b));
  const auto high_ce = hn::BitCast(pairs, hn::InterleaveUpper(d, c, e));
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(pairs, low_ab, low_ce)), d, out);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(pairs, low_ab, low_ce)), d, out + out_stride);
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(pairs, high_ab, high_ce)), d, out + 2 * out_stride);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(pairs, high_ab, high_ce)), d, out + 3 * out_stride);
}
constexpr std::ptrdiff_t side = 4;

#else

HWY_INLINE void square(const float* in, std::ptrdiff_t, float* out, std::ptrdiff_t) { *out = *in; }
constexpr std::ptrdiff_t side = 1;

#endif

}  // namespace transpose_kernel

void transpose_on_vectors(const float* in, std::ptrdiff_t in_stride, std::ptrdiff_t rows,
                          std::ptrdiff_t columns, float* out, std::ptrdiff_t out_stride) {
  using transpose_kernel::side;
  const std::ptrdiff_t whole_rows = rows / side * side, whole_columns = columns / side * side;
  for (std::ptrdiff_t r = 0; r < whole_rows; r += side) {
    for (std::ptrdiff_t c = 0; c < whole_columns; c += side) {
      transpose_kernel::square(in + r * in_stride + c, in_stride, out + c * out_stride + r,
                               out_stride);
    }
  }
  for (std::ptrdiff_t r = 0; r < rows; ++r) {
    for (std::ptrdiff_t c = r < whole_rows ? whole_columns : 0; c < columns; ++c) {
      out[c * out_stride + r] = in[r * in_stride + c];
    }
  }
}

}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
