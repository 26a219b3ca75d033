// SPDX-License-Identifier: Apache-2.0
// golden/reference/term.cpp: what is added up in a dot product.
#include "golden/reference/term.h"

#include <algorithm>

namespace golden {

term nan_term() { return {number_kind::nan, false, {}, 0}; }
term infinite_term(bool negative) { return {number_kind::infinite, negative, {}, 0}; }

int exponent_in(int emin, const dyadic& x) { return std::max(floor_log2(x), emin); }

term product(const term& x, const term& y) {
  if (x.kind == number_kind::nan || y.kind == number_kind::nan) return nan_term();
  const bool negative = x.negative != y.negative;
  if (x.kind == number_kind::infinite || y.kind == number_kind::infinite) {
    return x.is_zero() || y.is_zero() ? nan_term() : infinite_term(negative);
  }
  return {number_kind::finite, negative, x.value * y.value, x.exponent + y.exponent};
}

term scaled(const term& x, const term& scale) {
  term result = product(x, scale);
  if (result.is_zero()) result.negative = x.is_zero() && x.negative;
  return result;
}

std::optional<term> special_sum(const std::vector<term>& terms) {
  std::optional<term> special;
  for (const term& x : terms) {
    if (x.kind == number_kind::finite) continue;
    if (x.kind == number_kind::nan) return x;
    if (special && special->negative != x.negative) special = nan_term();
    if (special && special->kind == number_kind::nan) return special;
    special = x;
  }
  return special;
}

dyadic exact_sum(const std::vector<term>& terms) {
  dyadic sum;
  for (const term& x : terms) {
    if (!x.is_zero()) sum = sum + x.value;
  }
  return sum;
}

bool zero_sum_is_negative(const std::vector<term>& terms) {
  return std::all_of(terms.begin(), terms.end(),
                     [](const term& x) { return x.is_zero() && x.negative; });
}

}  // namespace golden
