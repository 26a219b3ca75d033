// SPDX-License-Identifier: Apache-2.0
// golden/reference/exact_dot.cpp: sums without truncation.
#include "golden/reference/exact_dot.h"

#include "golden/reference/pairwise_sum.h"

namespace golden {
namespace {

std::size_t span_of(const exact_fused& rule, const dot_word& word) {
  if (rule.span == rounding_span::whole) return word.size();
  return rule.span == rounding_span::block ? word.block_size() : rule.length;
}

}  // namespace

rounded dot(const exact_fused& rule, const dot_word& word) {
  const std::size_t span = span_of(rule, word);
  return chained(word, span, [&](std::size_t first, const term& addend) {
    std::vector<term> terms = scaled_products(word, first, span);
    terms.push_back(addend);
    return rounded_exact_sum(rule.output, terms);
  });
}

rounded dot(const pairwise_blocks& rule, const dot_word& word) {
  const auto add = [&](const term& x, const term& y) {
    return rounded_exact_sum(rule.output, {x, y}).value;
  };
  const std::size_t block = word.block_size();
  std::vector<term> sums;
  for (std::size_t first = 0; first < word.size(); first += block) {
    sums.push_back(rounded_exact_sum(rule.output, scaled_products(word, first, block)).value);
  }
  return rounded_exact_sum(rule.output, {pairwise_sum(std::move(sums), add), word.c});
}

}  // namespace golden
