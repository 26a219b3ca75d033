// SPDX-License-Identifier: Apache-2.0
// kernels/src/gemm/steps.h: steps of `fp32.sequential`, `blackwell.mxf4` and `blackwell.mxf4nvf4`
// from integer dot products of blocks, by a few FP32 instructions where those are exact. Equals
// mx::dot of the step (tests/kernels/gemm/steps_test.cpp); other steps are left to
// gemm/aligned.h, or to mx::dot.
//
// A block's integer sum d = sum of (2 a)(2 b), |d| <= 32 * 144 = 4608, is added to the bits of 1.5,
// whose last place is 2^-23: 1.5 + d 2^-23 without a conversion, since 4608 is far below the 2^22
// places to the next binade on both sides. With row = scale_a 2^23 and column = scale_b / 4 the
// block's exact sum is u * column, u = (1.5 + d 2^-23) row - 1.5 row = d scale_a, one fused
// multiply-add.
//   E8M0   u = d 2^(code - 127): a multiple of 2^-127 below 2^(4 + 9 + 104) while code <= 231, so
//          exact; row <= 2^127 and 1.5 row are finite, column is 2^(code - 129) >= 2^-129, exact
//          too.
//   UE4M3  u has 12 + 4 bits and lies far from both ends of the range: exact for every code.
// A NaN scale gives a NaN factor, and the sum stays NaN from there on.
#pragma once
#include "gemm/element.h"
#include "gemm/window.h"
#include "mx/dot/models.h"
#include "mx/number/e8m0.h"
#include "unrolled.h"

namespace mx::kernels {

inline constexpr std::uint32_t bits_of_no_sum = 0x3FC00000;  // 1.5

/// A row's factor, and the scaled value of the sum of no products.
struct row_factor {
  float scale = 0, none = 0;

  [[nodiscard]] static MX_HD row_factor of(float scale) noexcept { return {scale, -1.5F * scale}; }
};

/// u; see above.
///   sum  bits_of_no_sum + d
[[nodiscard]] MX_HD inline float row_scaled(std::int32_t sum, const row_factor& row) noexcept {
  return fused_multiply_add(float_of(static_cast<std::uint32_t>(sum)), row.scale, row.none);
}

/// The same for a sum that is an FP32 number and a factor that is the scale itself. Exact for the
/// codes and sums above.
[[nodiscard]] MX_HD inline float row_scaled(float sum, const row_factor& row) noexcept {
  return sum * row.scale;
}

/// The side of a product that a factor belongs to; its value is the factor's power of two.
enum class gemm_side : std::int8_t { row = 23, column = -2 };

/// row or column of a scale code; Inf if not an FP32 number, NaN for NaN.
template <format Scale>
[[nodiscard]] MX_HD constexpr float factor_of_scale(gemm_side side, std::uint32_t code) noexcept {
  const unpacked scale = decode<Scale>(code & ((1U << Scale.width()) - 1));
  return to_binary32(scale.scaled_by_power_of_two(static_cast<int>(side)));
}

/// RNE32(acc + block), `fp32.sequential`: the product u * column is exact within the instruction.
/// A sum of zeros is +0; if acc is -0, the sign depends on all products: see is_doubtful_zero.
///   Sum  std::int32_t or float, as row_scaled takes it
template <class Sum>
[[nodiscard]] MX_HD float sequential_step(float acc, Sum sum, const row_factor& row,
                                          float column) noexcept {
  return fused_multiply_add(row_scaled(sum, row), column, acc);
}

/// a + b cut toward zero.
///   range  a + b is below 2^128; or one of them is Inf or NaN, but not both
[[nodiscard]] MX_HD inline float added_toward_zero(float a, float b) noexcept {
#if defined(__CUDA_ARCH__)
  return __fadd_rz(a, b);
#else
  const unpacked x = unpack(a), y = unpack(b);
  if (x.is_special() || y.is_special() || x.is_zero() || y.is_zero()) return fp32::add(a, b);
  const unpacked sum = fp32::rounded_sum(x, y);
  if (sum.is_zero()) return 0.0F;
  return float_of(encode<formats::binary32>(sum, rounding::toward_zero, overflow::saturate));
#endif
}

/// S, both blocks of a step of `blackwell.mxf4`, exact if its window truncates nothing: see
/// fused_window.
/// The step is then added_toward_zero(acc, S).
template <class Sum>
[[nodiscard]] MX_HD float fused_sum(const Sum (&sum)[2], const row_factor (&row)[2],
                                    const float (&column)[2]) noexcept {
  const float first = row_scaled(sum[0], row[0]) * column[0];
  return fused_multiply_add(row_scaled(sum[1], row[1]), column[1], first);
}

/// The same for `blackwell.mxf4nvf4`: two blocks and two. Their sum is S if both are below
/// fused_window::whole; an inexact sum is not below it either.
struct fused_halves {
  float first, second;

  /// The larger magnitude, or `other`; NaN is ignored.
  [[nodiscard]] MX_HD float largest(float other) const noexcept {
    return __builtin_fmaxf(__builtin_fmaxf(__builtin_fabsf(first), __builtin_fabsf(second)), other);
  }
};
[[nodiscard]] MX_HD inline fused_halves fused_sums(const std::int32_t (&sum)[4],
                                                   const row_factor (&row)[4],
                                                   const float (&column)[4]) noexcept {
  float half[2];
  unrolled<2>([&](int i) {
    const float first = row_scaled(sum[2 * i], row[2 * i]) * column[2 * i];
    half[i] =
        fused_multiply_add(row_scaled(sum[2 * i + 1], row[2 * i + 1]), column[2 * i + 1], first);
  });
  return {half[0], half[1]};
}

/// The step by the core. Not inlined: it is rare, and long.
template <dot_model M>
__attribute__((noinline)) MX_HD float step_by_core(const gemm_arguments& to, std::int64_t row,
                                                   std::int64_t column, std::int64_t first,
                                                   std::int64_t size, float acc) noexcept {
  const std::int64_t rest = to.shape.k - first;
  return float_of(dot_of_lines(M, line_at(to, to.a, row, first), line_at(to, to.b, column, first),
                               static_cast<int>(rest < size ? rest : size), bits_of(acc)));
}

/// Whether an element of `fp32.sequential` computed as +0 may be -0: all of the last `size`
/// products are -0. If one of them is not, the model gives a zero sum the sign +, as the fast
/// steps do; a sum that underflows keeps its sign in both.
[[nodiscard]] MX_HD inline bool is_doubtful_zero(const gemm_arguments& to, std::int64_t row,
                                                 std::int64_t column, std::int64_t size) noexcept {
  const std::int64_t first = (to.shape.k - 1) / size * size;
  const gemm_line a = line_at(to, to.a, row, first), b = line_at(to, to.b, column, first);
  for (int i = 0; i < to.shape.k - first; ++i) {
    const std::uint32_t x = a.codes[i], y = b.codes[i];
    if (((x & 7) != 0 && (y & 7) != 0) || ((x ^ y) & 8) == 0) return false;
  }
  return true;
}

/// Stores the sum of fast steps: NaN with the model's code, and zeros with their signs, which no
/// step of the fused models has. Not inlined: a thread with many sums would contain as many copies
/// of it.
template <dot_model M>
__attribute__((noinline)) MX_HD void store_sum(const gemm_arguments& to, std::int64_t row,
                                               std::int64_t column, float acc) noexcept {
  std::uint32_t sum = bits_of(acc);
  if ((sum & 0x7FFFFFFF) > formats::binary32.infinity_code()) sum = M.sum.nan_code;
  constexpr bool has_signs = M.sum.zero_result == zero_result::of_terms;
  if (has_signs && sum == 0 && is_doubtful_zero(to, row, column, M.block)) {
    const std::uint32_t c = addend_at(to, row, column);
    sum = bits_of(step_by_core<M>(to, row, column, 0, to.shape.k, float_of(start_of(to.plan, c))));
  }
  store_element(to, row, column, sum);
}

/// The models that fast steps support, and their names: a kernel's template takes an enumerator,
/// since nvcc cannot spell a model in the host code it generates.
inline constexpr dot_model sequential_mxfp4 = accumulations::block_by_block();
inline constexpr dot_model sequential_nvfp4 =
    with_scales(accumulations::block_by_block(), formats::ue4m3, 16);
inline constexpr dot_model fused_mxfp4 = tensor_cores::grouped_f4(formats::e8m0, 32);
inline constexpr dot_model fused_nvfp4 = tensor_cores::grouped_f4(formats::ue4m3, 16);

enum class gemm_arithmetic : std::uint8_t {
  none,
  sequential,
  sequential_sixteens,
  fused,
  fused_sixteens
};

template <gemm_arithmetic A>
inline constexpr dot_model model_of = {};
template <>
inline constexpr dot_model model_of<gemm_arithmetic::sequential> = sequential_mxfp4;
template <>
inline constexpr dot_model model_of<gemm_arithmetic::sequential_sixteens> = sequential_nvfp4;
template <>
inline constexpr dot_model model_of<gemm_arithmetic::fused> = fused_mxfp4;
template <>
inline constexpr dot_model model_of<gemm_arithmetic::fused_sixteens> = fused_nvfp4;

/// Which kind of step a model has.
[[nodiscard]] MX_HD constexpr bool is_fused(const dot_model& model) noexcept {
  return model.sum.alignment == alignment::window;
}

}  // namespace mx::kernels
