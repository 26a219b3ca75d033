// SPDX-License-Identifier: Apache-2.0
// kernels/src/gemm/aligned.h: a step of `blackwell.mxf4` or `blackwell.mxf4nvf4` whose terms lose
// bits to the window: each group of 16 and C are cut toward zero as the model cuts them, by FP32
// instructions that are exact except for the cuts. Equals mx::dot of the step
// (tests/kernels/gemm/aligned_test.cpp).
//
// E is the largest exponent, U = 2^(E - 35) the last place of the window. In units of U
//   a group of E8M0    is 12 bits * 2^(33 - t), t >= 0: below 1.125 * 2^44, two of a block below
//                      2^45.2
//   a group of UE4M3   is 19 bits * 2^(27 - t): |d| <= 2304 and two significands up to 15: below
//                      2^46
//   C                  is below 2^36
// Every term is split into two FP32 numbers, a multiple of 2^23 U and a rest of at most 2^22 U.
// High parts and low parts are summed separately, both sums exactly; the result is the single
// rounding of the sum of these two.
//
// An exponent e is represented as the bits of 2^e, so that factors' bits add up to it.
//   E below -114   is read as -114: U is 2^-149 then, of which all FP32 numbers are multiples
//   E above 115    is left to the core, since 2^47 U and sums of it would approach 2^128
#pragma once
#include "gemm/steps.h"

namespace mx::kernels {

/// Whether a step may cut its groups; if not, blocks need not be split into groups. See
/// aligned_range::limit.
enum class group_cut : std::uint8_t { toward_zero, none };

/// Sums of a step for one element of D.
///   sum   of groups of 16, or of blocks: bits_of_no_sum + d
///   any   of blocks: zero if all their products are
template <dot_model M, group_cut Cut>
struct step_terms {
  static constexpr int blocks = 64 / M.block;
  static constexpr int groups = Cut == group_cut::none ? blocks : 4;

  std::int32_t sum[groups];
  std::int32_t any[blocks];
  row_factor row[blocks];
  float column[blocks];
};

/// A number in two parts.
struct two_parts {
  float high = 0, low = 0;

  [[nodiscard]] friend MX_HD two_parts operator+(const two_parts& a, const two_parts& b) noexcept {
    return {a.high + b.high, a.low + b.low};
  }
};

/// The window of a step.
struct aligned_window {
  float narrow;  ///< 1.5 * 2^23 U
  float wide;    ///< 1.5 * 2^46 U

  [[nodiscard]] static MX_HD aligned_window of(std::int32_t exponent) noexcept {
    const auto bits = static_cast<std::uint32_t>(exponent) + (1U << 22);
    return {float_of(bits - (12U << 23)), float_of(bits + (11U << 23))};
  }

  /// Cuts a group toward zero to a multiple of U: a sum of 1.5 * 2^23 U and up to 2^22 U of the
  /// same sign has its last place at U. Larger groups are multiples of 2^4 U, or 2^11 U, and
  /// their last place is not below the sum's: nothing is cut off.
  [[nodiscard]] MX_HD float cut(float group) const noexcept { return cut(group, group); }

  /// Splits a term: 1.5 * 2^46 U has its last place at 2^23 U, also after adding up to 2^45 U.
  /// Larger terms are multiples of 2^27 U and go entirely into the high part.
  [[nodiscard]] MX_HD two_parts split(float term) const noexcept {
    const float high = (term + wide) - wide;
    return {high, term - high};
  }

  /// Splits C and cuts it toward zero; its low part is up to 2^22 U, possibly of the opposite sign.
  [[nodiscard]] MX_HD two_parts split_and_cut(float c) const noexcept {
    const two_parts whole = split(c);
    return {whole.high, cut(whole.low, c)};
  }

 private:
  ///   direction  its zero is the one to cut toward
  [[nodiscard]] MX_HD float cut(float term, float direction) const noexcept {
    const float place = float_of(bits_of(narrow) | (bits_of(direction) & 0x80000000));
    return added_toward_zero(term, place) - place;
  }
};

/// The field of a factor as an exponent. The factors are 2^23 and 2^-2 times their scales.
template <format Scale>
[[nodiscard]] MX_HD inline std::uint32_t exponent_of_factor(gemm_side side, float factor) noexcept {
  const int power = static_cast<int>(side);
  const auto times_power = static_cast<std::uint32_t>(power * (1 << 23));
  if constexpr (Scale == format{formats::e8m0}) return bits_of(factor) - times_power;
  // A subnormal scale is read at the exponent of the smallest normal.
  const auto least = static_cast<std::uint32_t>(power_bits(-6 + power));
  const std::uint32_t field = bits_of(factor) & 0x7F800000;
  return (field > least ? field : least) - times_power;
}

/// The exponent of a block's scales.
template <format Scale>
[[nodiscard]] MX_HD inline std::int32_t exponent_of_block(const row_factor& row,
                                                          float column) noexcept {
  return static_cast<std::int32_t>(exponent_of_factor<Scale>(gemm_side::row, row.scale) -
                                   static_cast<std::uint32_t>(power_bits(0)) +
                                   exponent_of_factor<Scale>(gemm_side::column, column));
}

/// The fused_window of one element, by the exponents of both its blocks of E8M0: for scales that
/// are spread over a warp, but less so within an element.
///   range    of scales: that of aligned_range, C below its limit, so that no group is cut
///   returns  below zero if C is not cut, being zero or not below 2^(high - 12), and S, the blocks'
///            sum and a multiple of 2^(low - 2), is below 2^(low + 22), and hence exact
/// Computed on bits of FP32 as integers, which have the same order. A block of factor 0 has
/// a lower exponent than otherwise, which is stricter than necessary. If a difference does not fit
/// 32 bits, low is that of such a block, far below zero, and S is the other block's sum and exact;
/// or it is above 105, and the margin is on the safe side.
[[nodiscard]] MX_HD inline std::int32_t margin_of_element(float c, float sum,
                                                          const row_factor (&row)[2],
                                                          const float (&column)[2]) noexcept {
  const std::int32_t first = exponent_of_block<formats::e8m0>(row[0], column[0]),
                     second = exponent_of_block<formats::e8m0>(row[1], column[1]);
  const std::int32_t low = first > second ? second : first, least = 12 << 23;
  std::int32_t high = first > second ? first : second;
  high = high > least ? high : least;
  const auto size_of_c =
      static_cast<std::int32_t>((2 * bits_of(c) - 1) >> 1);  // for zero: the largest
  const std::uint32_t size_of_sum = bits_of(sum) & 0x7FFFFFFF;
  const auto whole =
      static_cast<std::int32_t>(size_of_sum - static_cast<std::uint32_t>(low) - (22U << 23));
  return (high - least - 1 - size_of_c) & whole;
}

/// E. A block of zeros does not contribute: its exponent -139 is below every relevant one.
template <dot_model M, group_cut Cut>
[[nodiscard]] MX_HD std::int32_t largest_exponent(const step_terms<M, Cut>& of, float c) noexcept {
  const auto field = static_cast<std::int32_t>(bits_of(c) & 0x7F800000);
  constexpr std::int32_t least = power_bits(aligned_range::lowest);
  std::int32_t largest = field > least ? field : least;
  unrolled<step_terms<M, Cut>::blocks>([&](int i) {
    const std::int32_t exponent = exponent_of_block<M.scale>(of.row[i], of.column[i]);
    if (of.any[i] != 0) largest = exponent > largest ? exponent : largest;
  });
  return largest;
}

/// The term of a group, or of a block.
template <dot_model M, group_cut Cut>
[[nodiscard]] MX_HD float group_of(const step_terms<M, Cut>& of, const aligned_window& window,
                                   int i) noexcept {
  const int block = i * step_terms<M, Cut>::blocks / step_terms<M, Cut>::groups;
  const float exact = row_scaled(of.sum[i], of.row[block]) * of.column[block];
  return Cut == group_cut::none ? exact : window.cut(exact);
}

/// The groups' sum. The low parts of four UE4M3 groups, up to 2^24 U, are split once more.
template <dot_model M, group_cut Cut>
[[nodiscard]] MX_HD two_parts sum_of_groups(const step_terms<M, Cut>& of,
                                            const aligned_window& window) noexcept {
  constexpr int groups = step_terms<M, Cut>::groups;
  float group[groups];
  unrolled<groups>([&](int i) { group[i] = group_of(of, window, i); });
  if constexpr (groups == 2) {
    return window.split(group[0]) + window.split(group[1]);
  } else if constexpr (M.block == 32) {
    return window.split(group[0] + group[1]) + window.split(group[2] + group[3]);
  } else {
    const two_parts sum = (window.split(group[0]) + window.split(group[1])) +
                          (window.split(group[2]) + window.split(group[3]));
    const two_parts low = window.split(sum.low);
    return {sum.high + low.high, low.low};
  }
}

struct aligned_result {
  float sum;
  bool is_served;
};

/// The step, if supported; NaN scales make it NaN.
///   high parts   E8M0: below 2.25 * 2^45 U and C's, 24 bits. UE4M3: up to 2^48 U; the sums of two
///                are up to 2^47 U and exact, and that of all four is if it is below 1.5 * 2^46 U
///   low parts    at most 3 * 2^22 U: 24 bits
///   range        of scales: see range_of
template <dot_model M, group_cut Cut>
[[nodiscard]] MX_HD inline aligned_result aligned_step(const step_terms<M, Cut>& of, float c,
                                                       const aligned_range& range) noexcept {
  const std::int32_t exponent = largest_exponent(of, c);
  const aligned_window window = aligned_window::of(exponent);
  const two_parts sum = sum_of_groups(of, window) + window.split_and_cut(c);
  const bool is_whole = M.block == 32 || !(fp32::magnitude(sum.high) >= window.wide);
  return {added_toward_zero(sum.high, sum.low), range.has(exponent) && is_whole};
}

}  // namespace mx::kernels
