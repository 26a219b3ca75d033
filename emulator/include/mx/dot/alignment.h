// SPDX-License-Identifier: Apache-2.0
// mx/dot/alignment.h: terms of a sum, cut to a window below the largest exponent among them, and
// added.
// Source: arXiv 2511.10909 (truncated fused sum); PeerJ CS 7:e330 (truncation in tensor cores).
// Open choices: D-031 (zeros), D-032 (exponents of zero terms).
#pragma once
#include "mx/dot/accumulation.h"
#include "mx/dot/record.h"

namespace mx {

/// A number that takes part in an aligned sum: significand * 2^unit, read at `exponent`.
struct term {
  std::int64_t significand;
  int unit;
  int exponent;
};

/// A term that adds nothing.
[[nodiscard]] MX_HD constexpr term zero_at(int exponent) noexcept {
  return {0, exponent, exponent};
}

/// A value as a term of an aligned sum.
///   value  zero or finite
[[nodiscard]] MX_HD constexpr term term_of(const accumulation& how, const unpacked& value,
                                           int exponent) noexcept {
  if (!value.is_zero())
    return {with_sign(value.negative, value.significand), value.exponent, exponent};
  return zero_at(how.zeros == zero_term::each_zero ? how.zero_exponent : no_exponent);
}

/// x / 2^distance as an integer.
///   distance  if negative, x is multiplied instead, and the result must be below 2^62
[[nodiscard]] MX_HD constexpr std::int64_t shifted(std::int64_t x, int distance, cut how) noexcept {
  if (x == 0) return 0;
  if (distance <= 0 || how == cut::toward_zero) {
    return with_sign_of(x, shifted_by(magnitude_of(x), -distance));
  }
  if (how == cut::down) return x >> smaller_of(distance, 63);
  return with_sign_of(x, shift_right_rounded(magnitude_of(x), distance, rounding::ties_to_even));
}

/// The bits of x below 2^distance, with its sign.
[[nodiscard]] MX_HD constexpr std::int64_t bits_below(std::int64_t x, int distance) noexcept {
  if (distance <= 0) return 0;
  if (distance > 62) return x;
  return with_sign_of(x, magnitude_of(x) & ((std::uint64_t{1} << distance) - 1));
}

/// What a cut takes from x * 2^unit: the number minus `kept` * 2^(unit + distance).
///   x        magnitude at most 2^62
///   kept     shifted(x, distance, ...), or 0
///   returns  exact; the last of more than 62 bits is a sticky bit
[[nodiscard]] MX_HD constexpr unpacked cut_off(std::int64_t x, int unit, int distance,
                                               std::int64_t kept) noexcept {
  if (distance <= 0) return {};
  if (kept == 0) return unpacked_of(x, unit);
  if (distance <= 62) {
    const auto below = static_cast<std::uint64_t>(kept) << distance;
    return unpacked_of(static_cast<std::int64_t>(static_cast<std::uint64_t>(x) - below), unit);
  }
  // Cut down to -1: 2^distance - |x|, of which 62 bits remain.
  const int dropped = distance - 62;
  const std::uint64_t magnitude = magnitude_of(x), whole = shifted_by(magnitude, -dropped);
  const std::uint64_t rest = shifted_by(whole, smaller_of(dropped, 63)) != magnitude ? 1 : 0;
  return unpacked::positive(((std::uint64_t{1} << 62) - whole - rest) | rest, unit + dropped);
}

/// The record of an aligned term, for an observer.
[[nodiscard]] MX_HD constexpr term_record record_of(const term& t, std::int64_t aligned,
                                                    int unit) noexcept {
  const unpacked lost = cut_off(t.significand, t.unit, unit - t.unit, aligned);
  const loss why = lost.is_zero() ? loss::nothing
                   : aligned == 0 ? loss::outside_window
                                  : loss::below_window;
  return {unpacked_of(t.significand, t.unit), unpacked_of(aligned, unit), lost, t.exponent, why};
}

/// A sum in units of 2^unit, whose terms were aligned to `exponent`.
struct aligned_sum {
  std::int64_t sum = 0;
  int unit = 0;
  int exponent = no_exponent;
  bool lost = false;  ///< something nonzero was cut off
};

/// The largest exponent of terms first, first + stride, ... below count.
[[nodiscard]] MX_HD constexpr int largest_exponent(const accumulation& how, const term* terms,
                                                   int first, int count, int stride) noexcept {
  int largest = how.zeros == zero_term::floor ? how.zero_exponent : no_exponent;
  for (int i = first; i < count; i += stride) {
    largest = larger_of(terms[i].exponent, largest);
  }
  return largest;
}

/// The sum of terms first, first + stride, ... below count, each cut to the window.
///   record  called with every term's term_record, where the observer is active
template <class Observer, class Record>
[[nodiscard]] MX_HD constexpr aligned_sum sum_in_window(const accumulation& how, const term* terms,
                                                        int first, int count, int stride,
                                                        const Record& record) noexcept {
  aligned_sum result;
  result.exponent = largest_exponent(how, terms, first, count, stride);
  result.unit = result.exponent - how.fraction_bits;
  for (int i = first; i < count; i += stride) {
    const int distance = result.unit - terms[i].unit;
    const std::int64_t aligned = shifted(terms[i].significand, distance, how.cut);
    result.sum += aligned;
    result.lost = result.lost || bits_below(terms[i].significand, distance) != 0;
    if constexpr (Observer::active) record(i, record_of(terms[i], aligned, result.unit));
  }
  return result;
}

static_assert(shifted(-5, 1, cut::toward_zero) == -2 && shifted(-5, 1, cut::down) == -3);
static_assert(shifted(-5, 1, cut::ties_to_even) == -2 && shifted(-7, 1, cut::ties_to_even) == -4);
static_assert(shifted(-1, 100, cut::down) == -1 && shifted(-1, 100, cut::toward_zero) == 0);
static_assert(shifted(3, -4, cut::down) == 48 && bits_below(-5, 1) == -1);
static_assert(cut_off(-5, 0, 1, -3).significand == 1 && !cut_off(-5, 0, 1, -3).negative);

}  // namespace mx
