// SPDX-License-Identifier: Apache-2.0
// golden/reference/flushing_dot.cpp: the sums of CDNA2's matrix cores.
#include "golden/reference/flushing_dot.h"

#include <algorithm>

#include "golden/reference/pairwise_sum.h"

namespace golden {
namespace {

// Of an operand, which is read with an exponent above their own where subnormal.
bool is_subnormal(const term& x) {
  return x.kind == number_kind::finite && !x.is_zero() && floor_log2(x.value) < x.exponent;
}

term flushed_operand(const term& x) { return x.is_zero() || is_subnormal(x) ? term{} : x; }

rounded flushed_sum(const output_format& to, const std::vector<term>& terms) {
  return flushed(to, rounded_exact_sum(to, terms));
}

term group_sum(const flushing_pairwise& rule, const dot_word& word, std::size_t first) {
  const std::size_t end = std::min(first + rule.group, word.size());
  std::vector<term> products;
  for (std::size_t k = first; k < end; ++k) {
    const term exact = product(flushed_operand(word.a[k]), flushed_operand(word.b[k]));
    products.push_back(flushed_sum(rule.output, {exact}).value);
  }
  return pairwise_sum(std::move(products), [&](const term& x, const term& y) {
    return flushed_sum(rule.output, {x, y}).value;
  });
}

}  // namespace

rounded dot(const flushing_pairwise& rule, const dot_word& whole) {
  const dot_word word = padded(whole, rule.group);
  return chained(word, rule.group, [&](std::size_t first, const term& addend) {
    return flushed_sum(rule.output, {flushed_operand(addend), group_sum(rule, word, first)});
  });
}

}  // namespace golden
