// SPDX-License-Identifier: Apache-2.0
// golden/reference/sticky_dot.cpp: the sums of Vortex's tensor core.
#include "golden/reference/sticky_dot.h"

#include <algorithm>

namespace golden {
namespace {

// A sum has at most some 40 bits, and a result 24: this is below all of them.
constexpr int far_below = 100;

dyadic slightly_larger(const dyadic& x) {
  return x + dyadic{x.is_negative() ? -1 : 1, floor_log2(x) - far_below};
}

dyadic sticky_sum(const std::vector<term>& terms, int fraction_bits) {
  std::optional<int> largest;
  for (const term& x : terms) {
    if (!x.is_zero()) largest = std::max(largest.value_or(x.exponent), x.exponent);
  }
  dyadic sum;
  bool lost = false;
  for (const term& x : terms) {
    if (x.is_zero()) continue;
    const dyadic kept = truncated(x.value, *largest - fraction_bits);
    lost = lost || !(x.value + -kept).is_zero();
    sum = sum + kept;
  }
  return lost && !sum.is_zero() ? slightly_larger(sum) : sum;
}

rounded sticky_step(const sticky_fused& rule, const std::vector<term>& terms) {
  if (special_sum(terms)) return rounded_sum(rule.output, {}, terms);
  return flushed(rule.output,
                 rounded_sum(rule.output, sticky_sum(terms, rule.fraction_bits), terms));
}

}  // namespace

rounded dot(const sticky_fused& rule, const dot_word& whole) {
  const dot_word word = padded(whole, rule.length);
  return chained(word, rule.length, [&](std::size_t first, const term& addend) {
    std::vector<term> terms = scaled_products(word, first, rule.length);
    terms.push_back(addend);
    return sticky_step(rule, terms);
  });
}

}  // namespace golden
