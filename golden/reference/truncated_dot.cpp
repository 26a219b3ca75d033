// SPDX-License-Identifier: Apache-2.0
// golden/reference/truncated_dot.cpp: the sums of NVIDIA's tensor cores.
#include "golden/reference/truncated_dot.h"

#include <algorithm>

#include "golden/reference/formats.h"

namespace golden {
namespace {

rounded fused_step(const truncated_fused& rule, const std::vector<term>& terms) {
  if (special_sum(terms)) return rounded_sum(rule.output, {}, terms);
  return rounded_sum(rule.output, truncated_sum(terms, rule.fraction_bits, rule.zero_exponent),
                     terms);
}

enum class half : std::size_t { first = 0, second = 2 };  // the lower of the two k mod 4

// What the FP16 instruction reads of numbers that were FP8: a subnormal of E4M3 is a normal number.
dot_word converted_to_fp16(dot_word word) {
  const int emin = operands_of(formats::fp16()).emin();
  for (std::vector<term>* side : {&word.a, &word.b}) {
    for (term& x : *side) {
      if (x.kind == number_kind::finite && !x.is_zero()) x.exponent = exponent_in(emin, x.value);
    }
  }
  return word;
}

rounded half_step(const emulated_fp8& rule, const dot_word& word, std::size_t first, half which,
                  const term& addend) {
  const auto start = static_cast<std::size_t>(which);
  const std::size_t end = std::min(first + rule.length, word.size());
  std::vector<term> terms;
  for (std::size_t k = first; k < end; ++k) {
    const std::size_t place = k % 4;
    if (place != start && place != start + 1) continue;
    terms.push_back(product_at(word, k));
  }
  terms.push_back(addend);
  return fused_step(rule.half, terms);
}

bool all_zero(const std::vector<term>& terms) {
  return std::all_of(terms.begin(), terms.end(), [](const term& x) { return x.is_zero(); });
}

aligned_term group_term(const grouped_fused& rule, const std::vector<term>& products,
                        const term& scale) {
  if (all_zero(products) || scale.is_zero()) return {{}, rule.zero_exponent};
  return {exact_sum(products) * scale.value, scale.exponent};
}

rounded grouped_step(const grouped_fused& rule, const dot_word& word, std::size_t first,
                     const term& addend) {
  std::vector<term> terms = scaled_products(word, first, rule.length);
  terms.push_back(addend);
  if (special_sum(terms)) return rounded_sum(rule.output, {}, terms);
  const bool no_addend = addend.is_zero();
  std::vector<aligned_term> aligned{
      {addend.value, no_addend ? rule.zero_exponent : addend.exponent}};
  const std::size_t end = std::min(first + rule.length, word.size());
  for (std::size_t start = first; start < end; start += rule.group) {
    std::vector<term> products;
    for (std::size_t k = start; k < std::min(start + rule.group, end); ++k) {
      products.push_back(product_at(word, k));
    }
    aligned.push_back(group_term(rule, products, scale_at(word, start)));
  }
  return rounded_sum(rule.output, truncated_sum(aligned, rule.fraction_bits), terms);
}

}  // namespace

dyadic truncated_sum(const std::vector<aligned_term>& terms, int fraction_bits) {
  int largest = terms.front().exponent;
  for (const aligned_term& x : terms) largest = std::max(largest, x.exponent);
  dyadic sum{0, largest - fraction_bits};
  for (const aligned_term& x : terms) {
    if (!x.value.is_zero()) sum = sum + truncated(x.value, largest - fraction_bits);
  }
  return sum;
}

dyadic truncated_sum(const std::vector<term>& terms, int fraction_bits, int zero_exponent) {
  std::vector<aligned_term> aligned;
  aligned.reserve(terms.size());
  for (const term& x : terms) {
    aligned.push_back({x.value, x.is_zero() ? zero_exponent : x.exponent});
  }
  return truncated_sum(aligned, fraction_bits);
}

rounded dot(const truncated_fused& rule, const dot_word& whole) {
  const dot_word word = padded(whole, rule.length);
  return chained(word, rule.length, [&](std::size_t first, const term& addend) {
    std::vector<term> terms = scaled_products(word, first, rule.length);
    terms.push_back(addend);
    return fused_step(rule, terms);
  });
}

rounded dot(const emulated_fp8& rule, const dot_word& whole) {
  const dot_word word = converted_to_fp16(padded(whole, rule.length));
  return chained(word, rule.length, [&](std::size_t first, const term& addend) {
    const rounded one = half_step(rule, word, first, half::first, {});
    const rounded both = half_step(rule, word, first, half::second, one.value);
    return rounded_exact_sum(rule.sum, {both.value, addend});
  });
}

rounded dot(const grouped_fused& rule, const dot_word& whole) {
  const dot_word word = padded(whole, rule.length);
  return chained(word, rule.length, [&](std::size_t first, const term& addend) {
    return grouped_step(rule, word, first, addend);
  });
}

}  // namespace golden
