// SPDX-License-Identifier: Apache-2.0
// golden/reference/floored_dot.cpp: the sums of CDNA3's matrix cores.
#include "golden/reference/floored_dot.h"

#include <algorithm>

namespace golden {
namespace {

// A sum of products and the largest exponent among them; no exponent where all are zero.
struct partial_sum {
  dyadic value;
  std::optional<int> exponent;
};

partial_sum truncated_products(const std::vector<term>& products, int fraction_bits) {
  partial_sum sum;
  for (const term& x : products) {
    if (!x.is_zero()) sum.exponent = std::max(sum.exponent.value_or(x.exponent), x.exponent);
  }
  for (const term& x : products) {
    if (!x.is_zero()) sum.value = sum.value + truncated(x.value, *sum.exponent - fraction_bits);
  }
  return sum;
}

partial_sum floored_pair(const partial_sum& even, const partial_sum& odd, int fraction_bits) {
  if (!even.exponent) return odd;
  if (!odd.exponent) return even;
  const int exponent = std::max(*even.exponent, *odd.exponent);
  const int unit = exponent - fraction_bits;
  return {floored(even.value, unit) + floored(odd.value, unit), exponent};
}

partial_sum sum_of_products(const floored_fused& rule, const std::vector<term>& products) {
  if (rule.split == product_split::fused) return truncated_products(products, rule.product_bits);
  std::vector<term> parity[2];
  for (std::size_t k = 0; k < products.size(); ++k) parity[k % 2].push_back(products[k]);
  return floored_pair(truncated_products(parity[0], rule.product_bits),
                      truncated_products(parity[1], rule.product_bits), rule.product_bits);
}

dyadic floored_addend(const floored_fused& rule, const term& addend, int addend_exponent,
                      int exponent) {
  const bool far_below = addend_exponent < exponent - rule.product_bits - 1;
  if (rule.split == product_split::even_odd && far_below) return {};
  return floored(addend.value, exponent - rule.product_bits);
}

dyadic floored_sum(const floored_fused& rule, const partial_sum& products, const term& addend) {
  const int addend_exponent = addend.is_zero() ? rule.output.emin : addend.exponent;
  const int exponent = std::max(products.exponent.value_or(addend_exponent), addend_exponent);
  const dyadic sum = floored(products.value, exponent - rule.sum_bits - 1) +
                     floored_addend(rule, addend, addend_exponent, exponent);
  if (sum.is_zero()) return sum;
  return floored(sum, exponent_in(rule.output.emin, sum) - rule.sum_bits);
}

term overflowing(const term& x) {
  const bool too_large =
      x.kind == number_kind::finite && !x.is_zero() && floor_log2(x.value) >= 128;
  return too_large ? infinite_term(x.negative) : x;
}

rounded floored_step(const floored_fused& rule, std::vector<term> products, const term& addend) {
  std::transform(products.begin(), products.end(), products.begin(), overflowing);
  std::vector<term> terms = products;
  terms.push_back(addend);
  if (special_sum(terms)) return rounded_sum(rule.output, {}, terms);
  return rounded_sum(rule.output, floored_sum(rule, sum_of_products(rule, products), addend),
                     terms);
}

}  // namespace

rounded dot(const floored_fused& rule, const dot_word& whole) {
  const dot_word word = padded(whole, rule.length);
  return chained(word, rule.length, [&](std::size_t first, const term& addend) {
    return floored_step(rule, scaled_products(word, first, rule.length), addend);
  });
}

}  // namespace golden
