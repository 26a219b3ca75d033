// SPDX-License-Identifier: Apache-2.0
// kernels/src/gemm_steps.h: steps of `fp32.sequential` and `blackwell.mxf4` from integer dot products of
// blocks, by a few FP32 instructions where those are exact. Equals mx::dot of the step
// (tests/kernels/gemm_steps_test.cpp); elsewhere a step is mx::dot itself.
//
// A block's integer sum d = sum of (2 a)(2 b), |d| <= 32 * 144 = 4608, is added to the bits of 1.5, whose
// last place is 2^-23: 1.5 + d 2^-23 without a conversion, since 4608 is far below the 2^22 places to
// the next binade on both sides. With row = scale_a 2^23 and column = scale_b / 4 the block's exact sum
// is u * column, u = (1.5 + d 2^-23) row - 1.5 row = d scale_a, one fused multiply-add.
//   E8M0   u = d 2^(code - 127): a multiple of 2^-127 below 2^(4 + 9 + 104) while code <= 231, so exact;
//          row <= 2^127 and 1.5 row are finite, column is 2^(code - 129) >= 2^-129, exact too.
//   UE4M3  u has 12 + 4 bits and lies far from both ends of the range: exact for every code.
// A NaN scale is a NaN factor, and the sum is NaN from there on.
#pragma once
#include "gemm_element.h"
#include "mx/e8m0.h"
#include "mx/fp32_device.h"
#include "mx/models.h"

namespace mx::kernels {

inline constexpr std::uint32_t bits_of_no_sum = 0x3FC00000;  // 1.5
inline constexpr int largest_row_code = 231;

/// A row's factor, and what it makes of the sum of none.
struct row_factor {
  float scale = 0, none = 0;

  [[nodiscard]] static MX_HD row_factor of(float scale) noexcept { return {scale, -1.5F * scale}; }
};

/// u; see above.
///   sum  bits_of_no_sum + d
[[nodiscard]] MX_HD inline float row_scaled(std::int32_t sum, const row_factor& row) noexcept {
  return fused_multiply_add(float_of(static_cast<std::uint32_t>(sum)), row.scale, row.none);
}

/// Which side of a product a factor belongs to, and the power of two it is taken with.
enum class gemm_side : std::int8_t { row = 23, column = -2 };

/// row or column of a scale code; Inf where that is no FP32 number, NaN of NaN.
template <format Scale>
[[nodiscard]] MX_HD constexpr float factor_of_scale(gemm_side side, std::uint32_t code) noexcept {
  const unpacked scale = decode<Scale>(code & ((1U << Scale.width()) - 1));
  return to_binary32(scale.scaled_by_power_of_two(static_cast<int>(side)));
}

/// RNE32(acc + block), `fp32.sequential`: the product u * column is exact within the instruction.
/// A sum of zeros is +0 unless acc is -0, too, where the model asks all products: see is_doubtful_zero.
[[nodiscard]] MX_HD inline float sequential_step(float acc, std::int32_t sum, const row_factor& row,
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

/// S, both blocks of a step of `blackwell.mxf4`, exact where its window cuts nothing off: see fused_window.
/// The step is added_toward_zero(acc, S) there.
[[nodiscard]] MX_HD inline float fused_sum(const std::int32_t (&sum)[2], const row_factor (&row)[2],
                                           const float (&column)[2]) noexcept {
  const float first = row_scaled(sum[0], row[0]) * column[0];
  return fused_multiply_add(row_scaled(sum[1], row[1]), column[1], first);
}

/// The lowest and highest scale code among blocks that are not zero throughout; low > high: all are.
struct code_bounds {
  int low = 255, high = 0;

  [[nodiscard]] MX_HD constexpr bool is_empty() const noexcept { return low > high; }
  [[nodiscard]] MX_HD constexpr code_bounds with(const code_bounds& other) const noexcept {
    return {low < other.low ? low : other.low, high > other.high ? high : other.high};
  }
};

/// For which C a step's terms survive the alignment whole.
///
/// Let groups that are not all zeros have exponents (of both scales) in [low, high], and C the exponent
/// c. The largest exponent is at most max(high, c), as low >= -100 is above the -139 of zeros, and the
/// window ends 35 below. A group's last place is 2^(its exponent - 2), that of C 2^(c - 23). So nothing
/// is cut off where
///   high - 35 <= low - 2          high - low <= 10 here
///   c - 35 <= low - 2             |C| < 2^(low + 34): `limit`
///   high - 35 <= c - 23           C = 0, or |C| >= 2^(high - 12): `least`
/// and the step is RZ32(C + S). S, the blocks' sum, is a multiple of 2^(low - 2) below 2304 * 2^high, so
/// that it has at most 12 + 10 + 2 = 24 bits: exact in FP32, as its parts are. |C + S| stays below 2^128,
/// as high <= 90.
///   least   of twice the bits of |C|, less one: what is not above it takes the core
///   growth  what a step adds to |C| at most
struct fused_window {
  std::uint32_t least = every_sum;
  float limit = 0;
  float growth = 0;

  static constexpr std::uint32_t no_sum = 0;  // twice the bits less one is odd
  static constexpr std::uint32_t every_sum = 0xFFFFFFFF;
  static constexpr std::uint32_t every_sum_but_zero = 0xFFFFFFFE;

  [[nodiscard]] MX_HD constexpr bool needs_core(float acc) const noexcept {
    return 2 * bits_of(acc) - 1 <= least;
  }
  /// What holds for sums whose magnitude is at most `bound`.
  [[nodiscard]] MX_HD constexpr fused_window below(float bound) const noexcept {
    if (least == every_sum || bound < limit) return *this;
    return {every_sum_but_zero, limit, growth};
  }
};

[[nodiscard]] MX_HD constexpr float power_of_two(int exponent) noexcept {
  return float_of(static_cast<std::uint32_t>(exponent + 127) << 23);
}

///   row_code   the highest of rows
///   one, other  sums of a row's and a column's code, in whatever order: the lowest and the highest
[[nodiscard]] MX_HD constexpr fused_window window_of_sums(int row_code, int one,
                                                          int other) noexcept {
  const int high = (one > other ? one : other) - 254, low = (one > other ? other : one) - 254;
  const bool serves = row_code <= largest_row_code && low >= -100 && high <= 90 && high - low <= 10;
  if (!serves) return {};
  return {2 * bits_of(power_of_two(high - 12)) - 2, power_of_two(low + 34),
          power_of_two(high + 12)};
}

///   a  of rows      b  of columns
[[nodiscard]] MX_HD constexpr fused_window window_of(const code_bounds& a,
                                                     const code_bounds& b) noexcept {
  if (a.is_empty() || b.is_empty()) return {fused_window::no_sum, fp32::infinity(false), 0};
  return window_of_sums(a.high, a.low + b.low, a.high + b.high);
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

/// Whether an element that came out as +0 may be -0: all products of the last `size` are -0. Where one of
/// them is not, the model gives a sum of zero the sign +, as the fast steps do; a sum that underflows
/// keeps its sign in both.
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

/// Stores the sum of fast steps: NaN as the model writes it, and zeros with their signs. Not inlined: a
/// thread that has many sums would have as many texts of it.
template <dot_model M>
__attribute__((noinline)) MX_HD void store_sum(const gemm_arguments& to, std::int64_t row,
                                               std::int64_t column, float acc) noexcept {
  std::uint32_t sum = bits_of(acc);
  if ((sum & 0x7FFFFFFF) > formats::binary32.infinity_code()) sum = M.sum.nan_code;
  if (sum == 0 && is_doubtful_zero(to, row, column, M.block)) {
    const std::uint32_t c = addend_at(to, row * to.shape.n + column);
    sum = bits_of(step_by_core<M>(to, row, column, 0, to.shape.k, float_of(start_of(to.plan, c))));
  }
  store_element(to, row * to.shape.n + column, sum);
}

/// The models that fast steps serve, and their names: a kernel's template takes an enumerator, since nvcc
/// cannot spell a model in what it makes for the host.
inline constexpr dot_model sequential_mxfp4 = accumulations::block_by_block();
inline constexpr dot_model sequential_nvfp4 =
    with_scales(accumulations::block_by_block(), formats::ue4m3, 16);
inline constexpr dot_model fused_mxfp4 = tensor_cores::grouped_f4(formats::e8m0, 32);

enum class gemm_arithmetic : std::uint8_t { none, sequential, sequential_sixteens, fused };

template <gemm_arithmetic A>
inline constexpr dot_model model_of = {};
template <>
inline constexpr dot_model model_of<gemm_arithmetic::sequential> = sequential_mxfp4;
template <>
inline constexpr dot_model model_of<gemm_arithmetic::sequential_sixteens> = sequential_nvfp4;
template <>
inline constexpr dot_model model_of<gemm_arithmetic::fused> = fused_mxfp4;

/// Which kind of step a model has.
[[nodiscard]] MX_HD constexpr bool is_fused(const dot_model& model) noexcept {
  return model.sum.alignment == alignment::window;
}

}  // namespace mx::kernels
