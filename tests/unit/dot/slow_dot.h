// SPDX-License-Identifier: Apache-2.0
// tests/unit/dot/slow_dot.h: an independent implementation of tensor cores' dot products, in
// rational numbers and term by term, for operands without Inf and NaN. Source: arXiv 2511.10909
// (T-, ST-, GST-, TR-, GTR-, E-FDPA).
#pragma once
#include <algorithm>
#include <vector>

#include "golden/reference/binary32.h"
#include "golden/reference/rational.h"
#include "mx/number/element.h"

namespace slow {

using golden::floor_of;
using golden::power_of_two;
using golden::rational;

/// A finite number and the exponent of its field; a zero has that of subnormals.
struct number {
  rational value;
  int exponent;
};

inline number number_of(const mx::format& f, std::uint32_t code) {
  const mx::unpacked x = mx::decode(f, code);
  if (x.is_zero()) return {0, f.emin()};
  const rational magnitude = rational(x.significand) * power_of_two(x.exponent);
  return {x.negative ? rational(-magnitude) : magnitude, std::max(x.floor_log2(), f.emin())};
}

inline rational absolute(const rational& x) { return x < 0 ? rational(-x) : x; }

/// x to a multiple of 2^unit: toward zero, and downward.
inline rational truncated(const rational& x, int unit) {
  const rational whole(floor_of(rational(absolute(x) / power_of_two(unit))));
  return (x < 0 ? rational(-whole) : whole) * power_of_two(unit);
}
inline rational floored(const rational& x, int unit) {
  const rational cut = truncated(x, unit);
  return x < cut ? rational(cut - power_of_two(unit)) : cut;
}

/// Bits of a number of f: RZ or RNE; beyond its largest binade, Inf. A zero has the sign of x.
inline std::uint32_t rounded(const mx::format& f, const rational& x, mx::rounding how) {
  const std::uint32_t sign = x < 0 ? f.sign_mask() : 0;
  const rational magnitude = absolute(x);
  if (magnitude == 0) return 0;
  int exponent = f.emin();
  while (exponent <= f.emax() && power_of_two(exponent + 1) <= magnitude) ++exponent;
  if (exponent > f.emax()) return sign | f.infinity_code();
  const rational steps = magnitude / power_of_two(exponent - f.fraction_bits);
  auto kept = static_cast<std::uint32_t>(floor_of(steps));
  const rational rest = steps - kept;
  if (how == mx::rounding::ties_to_even) {
    if (rest > rational(1, 2) || (rest == rational(1, 2) && kept % 2 == 1)) ++kept;
  }
  // The significand with its hidden bit, counted on from the code of this binade's first number.
  const auto binade = static_cast<std::uint32_t>(exponent - f.emin()) << f.fraction_bits;
  return sign | (binade + kept);
}

/// Terms and their exponents, truncated to the window and added: T-FDPA and its kin.
struct window_terms {
  std::vector<rational> values;
  std::vector<int> exponents;

  void add(const rational& value, int exponent, int zero_exponent) {
    values.push_back(value);
    exponents.push_back(value == 0 ? zero_exponent : exponent);
  }
  [[nodiscard]] int largest() const {
    return *std::max_element(exponents.begin(), exponents.end());
  }
  [[nodiscard]] rational sum(int fraction_bits) const {
    rational total = 0;
    for (const rational& v : values) total += truncated(v, largest() - fraction_bits);
    return total;
  }
};

/// The parameters of the published table.
struct window_row {
  int fused, fraction_bits, zero_exponent;
  mx::format result, output;
  mx::rounding how;
};

using codes = std::vector<std::uint32_t>;

inline std::uint32_t rounded_result(const window_row& row, const rational& sum) {
  return rounded(row.output, sum, row.how) << (row.result.width() - row.output.width());
}

/// One step with C from `first` on, each product under the scales of its block.
inline std::uint32_t window_step(const window_row& row, const std::vector<number>& a,
                                 const std::vector<number>& b, std::size_t first, std::uint32_t c,
                                 const number& scale = {1, 0}) {
  window_terms terms;
  for (std::size_t i = first; i < first + static_cast<std::size_t>(row.fused); ++i) {
    terms.add(a[i].value * b[i].value * scale.value, a[i].exponent + b[i].exponent + scale.exponent,
              row.zero_exponent);
  }
  const number addend = number_of(row.result, c);
  terms.add(addend.value, addend.exponent, row.zero_exponent);
  return rounded_result(row, terms.sum(row.fraction_bits));
}

inline std::vector<number> numbers_of(const mx::format& f, const codes& x, int unread_bits = 0) {
  std::vector<number> numbers;
  for (const std::uint32_t code : x) numbers.push_back(number_of(f, code >> unread_bits));
  return numbers;
}

inline number product(const number& a, const number& b) {
  return {a.value * b.value, a.exponent + b.exponent};
}

/// FP4 under block scales: exact sums of 16, aligned by their scales' exponents alone.
inline std::uint32_t grouped_step(const codes& a, const codes& b, std::size_t first,
                                  std::uint32_t c, const std::vector<number>& scales_a,
                                  const std::vector<number>& scales_b, std::size_t block) {
  const mx::format e2m1 = mx::formats::e2m1, f32 = mx::formats::binary32;
  window_terms terms;
  for (std::size_t group = first; group < first + 64; group += 16) {
    rational dot = 0;
    bool all_zero = true;
    for (std::size_t i = group; i < group + 16; ++i) {
      const rational p = number_of(e2m1, a[i]).value * number_of(e2m1, b[i]).value;
      all_zero = all_zero && p == 0;
      dot += p;
    }
    const number scale = product(scales_a[group / block], scales_b[group / block]);
    terms.values.push_back(dot * scale.value);
    terms.exponents.push_back(all_zero || scale.value == 0 ? -139 : scale.exponent);
  }
  const number addend = number_of(f32, c);
  terms.add(addend.value, addend.exponent, -139);
  return rounded(f32, terms.sum(35), mx::rounding::toward_zero);
}

/// CDNA3: the products' sums of each parity (or of all) in windows of 24 bits, then C.
inline std::uint32_t late_step(const std::vector<number>& a, const std::vector<number>& b,
                               std::size_t first, std::size_t fused, std::size_t parities,
                               std::uint32_t c) {
  const mx::format f32 = mx::formats::binary32;
  std::vector<window_terms> windows(parities);
  for (std::size_t i = first; i < first + fused; ++i) {
    windows[i % parities].add(a[i].value * b[i].value, a[i].exponent + b[i].exponent, -999);
  }
  int dot_exponent = -999;
  for (const window_terms& w : windows) dot_exponent = std::max(dot_exponent, w.largest());
  rational dot = 0;
  for (const window_terms& w : windows) dot += floored(w.sum(24), dot_exponent - 24);
  const number addend = number_of(f32, c);
  const int exponent = std::max(dot_exponent, addend.exponent);
  const bool dropped = parities == 2 && addend.exponent < exponent - 25;
  rational sum = floored(dot, exponent - 32);
  if (!dropped) sum += floored(addend.value, exponent - 24);
  int binade = -126;
  while (absolute(sum) >= power_of_two(binade + 1)) ++binade;
  return rounded(f32, floored(sum, binade - 31), mx::rounding::ties_to_even);
}

}  // namespace slow
