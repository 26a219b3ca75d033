// SPDX-License-Identifier: Apache-2.0
// golden/reference/exact_dot.cpp: sums without truncation.
#include "golden/reference/exact_dot.h"

#include "golden/reference/pairwise_sum.h"

namespace golden {
namespace {

std::size_t span_of(const exact_fused& rule, const dot_word& word) {
  if (rule.span == rounding_span::whole) return word.size();
  return rule.span == rounding_span::block ? word.block_size : rule.length;
}

term dequantized(const output_format& to, const term& element, const term& scale) {
  return rounded_exact_sum(to, {product(element, scale)}).value;
}

term dequantized_product(const output_format& to, const dot_word& word, std::size_t k) {
  const term exact = product_at(word, k);
  if (!word.has_scales()) return exact;
  const std::size_t block = k / word.block_size;
  term result = product(dequantized(to, word.a[k], word.scale_a[block]),
                        dequantized(to, word.b[k], word.scale_b[block]));
  if (result.is_zero()) result.negative = exact.is_zero() && exact.negative;
  return result;
}

}  // namespace

rounded dot(const exact_fused& rule, const dot_word& whole) {
  const std::size_t span = span_of(rule, whole);
  const dot_word word = rule.span == rounding_span::elements ? padded(whole, span) : whole;
  return chained(word, span, [&](std::size_t first, const term& addend) {
    std::vector<term> terms = scaled_products(word, first, span);
    terms.push_back(addend);
    return rounded_exact_sum(rule.output, terms);
  });
}

rounded dot(const dequantized_fma& rule, const dot_word& word) {
  return chained(word, 1, [&](std::size_t k, const term& addend) {
    return rounded_exact_sum(rule.output, {dequantized_product(rule.output, word, k), addend});
  });
}

rounded dot(const pairwise_blocks& rule, const dot_word& word) {
  const auto add = [&](const term& x, const term& y) {
    return rounded_exact_sum(rule.output, {x, y}).value;
  };
  const std::size_t block = word.block_size;
  std::vector<term> sums;
  for (std::size_t first = 0; first < word.size(); first += block) {
    sums.push_back(rounded_exact_sum(rule.output, scaled_products(word, first, block)).value);
  }
  return rounded_exact_sum(rule.output, {pairwise_sum(std::move(sums), add), word.c});
}

}  // namespace golden
