// SPDX-License-Identifier: Apache-2.0
// kernels/src/gemm/window.h: for which scales and which C a step of `blackwell.mxf4` or
// `blackwell.mxf4nvf4` loses nothing to its window of 35 bits, so that the fast steps of
// gemm/steps.h compute its bits; and for which the steps of gemm/aligned.h do.
#pragma once
#include "mx/number/fp32_device.h"

namespace mx::kernels {

inline constexpr int largest_row_code = 231;

/// The lowest and highest scale code among blocks that are not all zeros; low > high: all
/// are.
struct code_bounds {
  int low = 255, high = 0;

  [[nodiscard]] MX_HD constexpr bool is_empty() const noexcept { return low > high; }
  [[nodiscard]] MX_HD constexpr code_bounds with(const code_bounds& other) const noexcept {
    return {low < other.low ? low : other.low, high > other.high ? high : other.high};
  }
};

/// For which C no term of a step loses bits in the alignment.
///
/// Let groups that are not all zeros have exponents (of both scales) in [low, high], and C the
/// exponent c. The largest exponent is at most max(high, c), as low >= -100 is above the -139 of
/// zeros, and the window ends 35 below.
/// E8M0: a group's last place is 2^(its exponent - 2), that of C 2^(c - 23). So nothing is cut off
/// where
///   high - 35 <= low - 2          high - low <= 10 here
///   c - 35 <= low - 2             |C| < 2^(low + 34): `limit`
///   high - 35 <= c - 23           C = 0, or |C| >= 2^(high - 12): `least`
/// and the step is RZ32(C + S). S, the blocks' sum, is a multiple of 2^(low - 2) below 2304 *
/// 2^high, so that it has at most 12 + 10 + 2 = 24 bits: exact in FP32, as its parts are. |C + S|
/// stays below 2^128, as high <= 90.
/// UE4M3: each scale has three bits more, a group's last place is 2^(its exponent - 8). So nothing
/// is cut off where high - low <= 27, |C| < 2^(low + 28), and `least` as above. A group is below
/// 576 * (15/8)^2 * 2^high, and four of them below 2^(high + 13). Their sum is exact in FP32 if
/// the sums of two are below 2^(low + 15): 23 bits, and 24 for all four.
///   least   compared with twice the bits of |C|, minus one: up to it takes a slower step
///   growth  what a step adds to |C| at most
///   whole   bound below which the sums of two UE4M3 groups must lie
struct fused_window {
  std::uint32_t least = every_sum;
  float limit = 0;
  float growth = 0;
  float whole = 0;

  static constexpr std::uint32_t no_sum = 0;  // twice the bits less one is odd
  static constexpr std::uint32_t every_sum = 0xFFFFFFFF;
  static constexpr std::uint32_t every_sum_but_zero = 0xFFFFFFFE;

  [[nodiscard]] MX_HD constexpr bool needs_core(float acc) const noexcept {
    return 2 * bits_of(acc) - 1 <= least;
  }
  /// A magnitude from which on no sum needs the core, though smaller ones and zero may not either.
  [[nodiscard]] MX_HD constexpr float fast_from() const noexcept {
    const std::uint32_t bits = least / 2 + 1, infinite = bits_of(fp32::infinity(false));
    return float_of(bits < infinite ? bits : infinite);
  }
  /// The window for sums whose magnitude is at most `bound`.
  [[nodiscard]] MX_HD constexpr fused_window below(float bound) const noexcept {
    if (least == every_sum || bound < limit) return *this;
    return {every_sum_but_zero, limit, growth, whole};
  }
};

[[nodiscard]] MX_HD constexpr float power_of_two(int exponent) noexcept {
  return float_of(static_cast<std::uint32_t>(exponent + 127) << 23);
}

///   row_code   the highest of rows
///   one, other  sums of a row's and a column's code, in either order: the lowest and the highest
[[nodiscard]] MX_HD constexpr fused_window window_of_sums(int row_code, int one,
                                                          int other) noexcept {
  const int high = (one > other ? one : other) - 254, low = (one > other ? other : one) - 254;
  const bool serves = row_code <= largest_row_code && low >= -100 && high <= 90 && high - low <= 10;
  if (!serves) return {};
  return {2 * bits_of(power_of_two(high - 12)) - 2, power_of_two(low + 34),
          power_of_two(high + 12)};
}

/// The exponent at which a scale of UE4M3 is read: a subnormal at that of the smallest normal.
[[nodiscard]] MX_HD constexpr int exponent_of_ue4m3(int code) noexcept {
  return (code < 16 ? 1 : code >> 3) - 7;
}

///   low, high  of sums of two exponents
[[nodiscard]] MX_HD constexpr fused_window window_of_sixteens(int low, int high) noexcept {
  if (high - low > 27) return {};
  return {2 * bits_of(power_of_two(high - 12)) - 2, power_of_two(low + 28), power_of_two(high + 13),
          power_of_two(low + 15)};
}

///   a  of rows      b  of columns
template <format Scale = formats::e8m0>
[[nodiscard]] MX_HD constexpr fused_window window_of(const code_bounds& a,
                                                     const code_bounds& b) noexcept {
  constexpr float anything = fp32::infinity(false);
  if (a.is_empty() || b.is_empty()) return {fused_window::no_sum, anything, 0, anything};
  if constexpr (Scale == format{formats::e8m0}) {
    return window_of_sums(a.high, a.low + b.low, a.high + b.high);
  } else {
    return window_of_sixteens(exponent_of_ue4m3(a.low) + exponent_of_ue4m3(b.low),
                              exponent_of_ue4m3(a.high) + exponent_of_ue4m3(b.high));
  }
}

/// 2^exponent as bits; for exponents below -126 or above 127, bits that preserve the order.
[[nodiscard]] MX_HD constexpr std::int32_t power_bits(int exponent) noexcept {
  return (exponent + 127) * (1 << 23);
}

/// Which steps aligned_step supports, by their largest exponent; and the |C| below which only C,
/// no group, is cut.
struct aligned_range {
  std::int32_t least = 0, most = -1;
  float limit = 0;

  static constexpr int lowest = -114;  ///< exponent as which smaller ones are read
  static constexpr int highest = 115;

  [[nodiscard]] MX_HD constexpr bool is_empty() const noexcept { return least > most; }
  /// Only if it is not empty.
  [[nodiscard]] MX_HD constexpr bool has(std::int32_t exponent) const noexcept {
    return static_cast<std::uint32_t>(exponent - least) <= static_cast<std::uint32_t>(most - least);
  }
};

/// Since the window ends 35 below the largest exponent, high or that of C, groups with last place
/// 2^(exponent - `bits`) are whole if high and C's exponent are at most low + 35 - bits.
[[nodiscard]] MX_HD constexpr float limit_of_whole_groups(int low, int high, int bits) noexcept {
  if (high - low > 35 - bits) return 0;
  const int exponent = low + 36 - bits, most = aligned_range::highest + 1;
  return power_of_two(exponent < most ? exponent : most);
}

/// E8M0: with row codes up to 231 and column codes from 3 on the factors' fields are exponents; a
/// group whose last place is below 2^-149 is inexact in FP32, but below 2^(12 - 150), which is
/// cut off entirely if the window ends at 2^-137 or above.
template <format Scale>
[[nodiscard]] MX_HD constexpr aligned_range range_of(const code_bounds& a,
                                                     const code_bounds& b) noexcept {
  constexpr std::int32_t least = power_bits(aligned_range::lowest),
                         most = power_bits(aligned_range::highest);
  if (a.is_empty() || b.is_empty()) return {least, most, power_of_two(aligned_range::highest + 1)};
  if constexpr (Scale == format{formats::e8m0}) {
    const int low = a.low + b.low - 254, high = a.high + b.high - 254;
    const bool serves = a.high <= largest_row_code && b.low >= 3 && high <= aligned_range::highest;
    if (!serves) return {};
    if (low - 2 < -149) return {power_bits(-102), most};
    return {least, most, limit_of_whole_groups(low, high, 2)};
  } else {
    const int low = exponent_of_ue4m3(a.low) + exponent_of_ue4m3(b.low);
    const int high = exponent_of_ue4m3(a.high) + exponent_of_ue4m3(b.high);
    return {least, most, limit_of_whole_groups(low, high, 8)};
  }
}

}  // namespace mx::kernels
