// SPDX-License-Identifier: Apache-2.0
// golden/reference/term.h: what is added up in a dot product, and the exponent by which it is
// aligned.
// Source: MMA-Sim, arXiv 2511.10909v2 (exponents of operands and products); IEEE 754-2019, "Invalid
// operation" (0 * Inf) and "The sign bit".
#pragma once
#include <optional>
#include <vector>

#include "golden/reference/dyadic.h"
#include "golden/reference/number_format.h"

namespace golden {

/// A number of a format, or a product of such numbers.
struct term {
  number_kind kind = number_kind::finite;
  bool negative = false;  ///< its sign, of a zero and an Inf too
  dyadic value;           ///< with its sign; where it is finite
  int exponent = 0;       ///< of the format: see exponent_in; of no meaning where the value is zero

  [[nodiscard]] bool is_zero() const { return kind == number_kind::finite && value.is_zero(); }
};

[[nodiscard]] term nan_term();
[[nodiscard]] term infinite_term(bool negative);

/// The exponent that a format with the least exponent `emin` reads a number with: floor(log2 |x|),
/// but never below emin, so that subnormals are not normalized.
[[nodiscard]] int exponent_in(int emin, const dyadic& x);

/// Values are multiplied and exponents added: |product| / 2^exponent is below 4 and may be below 1.
///   NaN  where a factor is one, and for 0 * Inf
[[nodiscard]] term product(const term& x, const term& y);

/// A product times a scale. A zero keeps its sign whatever the scale; what only the scale makes
/// zero is +0.
[[nodiscard]] term scaled(const term& x, const term& scale);

/// The NaN or Inf that a sum is; nothing where all its terms are finite.
///   NaN  where a term is one, and for Inf - Inf
[[nodiscard]] std::optional<term> special_sum(const std::vector<term>& terms);

[[nodiscard]] dyadic exact_sum(const std::vector<term>& terms);

/// Minus where every term is a negative zero: the sign of a sum that is exactly zero.
[[nodiscard]] bool zero_sum_is_negative(const std::vector<term>& terms);

}  // namespace golden
