// SPDX-License-Identifier: Apache-2.0
// mx/block/scale_search.h: scales that depend on every element of a block, decided on integers.
// Source: arXiv 2512.02010 (four over six), arXiv 2505.14669 (quest: Quartet's constant),
// abdelfattah-lab/NVFP4-RaZeR and ROCm FlyDSL (search among neighbouring scales). Open choice:
// D-017.
#pragma once
#include "mx/block/block_scale.h"

namespace mx {

/// A sum of products that cannot overflow: up to 2^20 products of a factor below 2^62 and one below
/// 2^85, the second one split in two.
struct wide_sum {
  static constexpr int low_bits = 40;
  wide_integer high = 0, low = 0;  ///< the sum is high * 2^low_bits + low

  MX_HD constexpr void add(wide_integer factor, wide_integer other) noexcept {
    const wide_integer upper = other >> low_bits;
    high += factor * upper;
    low += factor * (other - (upper << low_bits));
  }
  [[nodiscard]] MX_HD constexpr bool negative() const noexcept {
    return high + (low >> low_bits) < 0;
  }
};

/// The dequantized element under a candidate scale, with the sign of x.
[[nodiscard]] MX_HD constexpr unpacked quantized_value(const block_format& f, const unpacked& x,
                                                       const scale_ratio& scale) noexcept {
  const std::uint32_t code = element_code(f.element, x, scale, rounding::ties_to_even);
  return multiplied(decode(f.element, code), scale.numerator);
}

/// value / 2^unit, where that is an integer.
[[nodiscard]] MX_HD constexpr wide_integer in_units(const unpacked& value, int unit) noexcept {
  if (value.is_zero()) return 0;
  const auto size = static_cast<wide_integer>(value.significand) << (value.exponent - unit);
  return value.negative ? -size : size;
}

/// Largest power of two that divides every number in a comparison of two scales, not both zero:
/// the elements' steps under both, and x wherever their quantized values differ. There |x| is at
/// least half the smallest step, so its last bit is at most 24 places below that.
[[nodiscard]] MX_HD constexpr int common_unit(const block_format& f, const scale_ratio& a,
                                              const scale_ratio& b) noexcept {
  const int step = f.element.emin() - f.element.fraction_bits;
  const auto unit_under = [step](const unpacked& scale) {
    const int below_x = scale.floor_log2() - 25;
    return step + smaller_of(scale.exponent, below_x);
  };
  if (a.numerator.is_zero() || b.numerator.is_zero()) {
    return unit_under(a.numerator.is_zero() ? b.numerator : a.numerator);
  }
  return smaller_of(unit_under(a.numerator), unit_under(b.numerator));
}

/// Whether squared errors under two neighbouring scales fit the sums that compare them.
[[nodiscard]] MX_HD constexpr bool has_search_range(const format& element) noexcept {
  return 1 + element.emax() - (element.emin() - element.fraction_bits - 28) <= 62;
}

/// The error that is summed over a block to compare two scales.
enum class error_measure : std::uint8_t { squares, magnitudes };

/// Whether scale `b` errs less than `a` in a sum over the block, exactly: whether the sum of the
/// differences of b's and a's errors is negative. For squares each is (Qb - Qa)(Qa + Qb - 2x).
/// Bounds: |Q| < 2^(1 + emax) * scale, the unit is at least 2^(emin - m - 28) * scale for scales of
/// up to 28 bits, so Q is below 2^62 units (has_search_range); |x| is at most 2^21 times that
/// (searched_scale).
///   f  has_search_range
[[nodiscard]] MX_HD constexpr bool errs_less_in_sum(const block_format& f, error_measure measure,
                                                    const float* x, int count, const scale_ratio& a,
                                                    const scale_ratio& b) noexcept {
  const auto magnitude = [](wide_integer v) { return larger_of(v, -v); };
  const int unit = common_unit(f, a, b);
  wide_sum sum;
  for (int i = 0; i < count; ++i) {
    const unpacked value = unpack(x[i]);
    const wide_integer qa = in_units(quantized_value(f, value, a), unit);
    const wide_integer qb = in_units(quantized_value(f, value, b), unit);
    if (qa == qb) continue;  // and x may be too small for the unit
    const wide_integer v = in_units(value, unit);
    if (measure == error_measure::squares) {
      sum.add(qb - qa, qa + qb - 2 * v);
    } else {
      sum.add(1, magnitude(qb - v) - magnitude(qa - v));
    }
  }
  return sum.negative();
}

/// Largest |Q - x| of a block.
[[nodiscard]] MX_HD constexpr unpacked largest_error(const block_format& f, const float* x,
                                                     int count, const scale_ratio& scale) noexcept {
  unpacked largest;
  for (int i = 0; i < count; ++i) {
    const unpacked value = unpack(x[i]);
    const unpacked error = difference(quantized_value(f, value, scale), value);
    if (compare_magnitudes(error, largest) > 0) largest = error;
  }
  return largest;
}

/// Whether scale `b` errs less than `a`, by the measure of a rule that searches scales.
[[nodiscard]] MX_HD constexpr bool errs_less(const block_format& f, scale_rule rule, const float* x,
                                             int count, const scale_ratio& a,
                                             const scale_ratio& b) noexcept {
  if (rule == scale_rule::four_over_six_abs_max) {
    return compare_magnitudes(largest_error(f, x, count, b), largest_error(f, x, count, a)) < 0;
  }
  const error_measure measure =
      rule == scale_rule::four_over_six_mae ? error_measure::magnitudes : error_measure::squares;
  return errs_less_in_sum(f, measure, x, count, a, b);
}

/// Of three neighbouring scales the one with the smallest squared error; ties prefer the middle
/// one, then the lower one. The middle one may be zero if the format has a zero.
/// A middle one that is the largest of the format, and still more than 2^20 too small for amax, is
/// returned without a search: what any smaller scale loses at amax, at least 2^20 * max^2 / 8 in
/// squares of the scale, exceeds what 2^20 elements gain: none errs by > max / 6 below saturation.
[[nodiscard]] MX_HD constexpr std::uint32_t searched_scale(const block_format& f, const float* x,
                                                           int count, const unpacked& amax,
                                                           const unpacked& tensor) noexcept {
  const scale_rule start = f.scale.fraction_bits > 0 ? scale_rule::ideal : scale_rule::rceil;
  const std::uint32_t base = scale_code_of(f, start, amax, tensor);
  const unpacked largest = multiplied(largest_of(f.element), ratio_of(f, base, tensor).numerator);
  const bool topmost = base == f.scale.max_code();
  if (topmost && amax.floor_log2() > largest.floor_log2() + 20) return base;
  std::uint32_t best = base;
  if (base > smallest_scale_code(f.scale) &&
      errs_less(f, scale_rule::mse, x, count, ratio_of(f, best, tensor),
                ratio_of(f, base - 1, tensor))) {
    best = base - 1;
  }
  if (topmost) return best;
  const scale_ratio above = ratio_of(f, base + 1, tensor);
  const scale_ratio chosen = ratio_of(f, best, tensor);
  return errs_less(f, scale_rule::mse, x, count, chosen, above) ? base + 1 : best;
}

/// The largest element mapped to 6, or to 4 where that errs less.
[[nodiscard]] MX_HD constexpr std::uint32_t four_over_six_scale(const block_format& f,
                                                                scale_rule rule, const float* x,
                                                                int count, const unpacked& amax,
                                                                const unpacked& tensor) noexcept {
  const std::uint32_t six = scale_code_of(f, scale_rule::ideal, amax, tensor);
  const std::uint32_t four = scale_code_of(f, scale_rule::static_four, amax, tensor);
  if (six == four) return six;
  const bool prefer_four =
      errs_less(f, rule, x, count, ratio_of(f, six, tensor), ratio_of(f, four, tensor));
  return prefer_four ? four : six;
}

/// Quartet's constant, the FP32 literal 2.92247856F: a Gaussian's clipping point in units of its
/// standard deviation, for E2M1.
inline constexpr unpacked quest_factor = unpacked::positive(0xBB09E4, -22);

/// Numbers of a block for which quest_exponent is exact.
inline constexpr int most_quest_numbers = 256;

/// Largest e with 2^e <= quest_factor * std / max; std over the block, after subtracting its mean.
/// Elements are first truncated to multiples of 2^(floor(log2 amax) - 30), so that sums are exact:
/// |x'| < 2^31, and with 256 elements factor^2 * variance * count^2 < 2^48 * 2^78.
///   count    1 to most_quest_numbers
///   returns  -127 if all elements are equal
[[nodiscard]] MX_HD constexpr int quest_exponent(const block_format& f, const float* x, int count,
                                                 const unpacked& amax) noexcept {
  const int unit = cut_exponent(amax);
  wide_integer sum = 0, squares = 0;
  for (int i = 0; i < count; ++i) {
    const unpacked value = unpack(x[i]);
    const auto size = static_cast<std::int64_t>(cut_magnitude(value, unit));
    sum += value.negative ? -size : size;
    squares += static_cast<wide_integer>(size) * size;
  }
  const wide_integer variance = count * squares - sum * sum;  // times count^2
  if (variance == 0) return -e8m0::bias;
  const auto factor = static_cast<wide_integer>(quest_factor.significand);
  const auto largest = static_cast<wide_integer>(f.element.max_significand()) * count;
  // 4^e <= left / right * 4^shift, and left > right since factor^2 > 2^46 and right < 2^31.
  const wide_integer left = factor * factor * variance;
  const wide_integer right = largest * largest;
  int e = 0;
  while ((left >> (2 * e + 2)) >= right) ++e;
  return e + unit + quest_factor.exponent - (f.element.emax() - f.element.fraction_bits);
}

static_assert(unpack(2.92247856F).significand == quest_factor.significand &&
              unpack(2.92247856F).exponent == quest_factor.exponent);

}  // namespace mx
