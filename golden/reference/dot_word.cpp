// SPDX-License-Identifier: Apache-2.0
// golden/reference/dot_word.cpp: the operands of one dot product, read from their codes.
#include "golden/reference/dot_word.h"

#include <algorithm>
#include <stdexcept>

namespace golden {
namespace {

void expect(bool condition, const char* what) {
  if (!condition) throw std::invalid_argument(std::string("golden::read_word: ") + what);
}

void expect_fitting(const word_formats& formats, const word_codes& word) {
  expect(!word.a.empty(), "no elements");
  expect(word.a.size() == word.b.size(), "a and b differ in length");
  expect(word.scale_a.size() == word.scale_b.size(), "the scales differ in number");
  expect(word.scale_a.empty() == (formats.scale == nullptr), "scales without format, or none");
  if (word.scale_a.empty()) return;
  expect(word.a.size() % word.scale_a.size() == 0, "no whole number of elements to a scale");
}

std::vector<term> read_all(const number_format& format, codes all) {
  const operand_format& operands = operands_of(format);
  std::vector<term> terms;
  terms.reserve(all.size());
  for (const std::uint32_t bits : all) terms.push_back(operands.read(bits));
  return terms;
}

}  // namespace

dot_word read_word(const word_formats& formats, const word_codes& word) {
  expect_fitting(formats, word);
  dot_word read{read_all(*formats.a, word.a),
                read_all(*formats.b, word.b),
                operands_of(*formats.c).read(word.c),
                {}};
  for (std::size_t block = 0; block < word.scale_a.size(); ++block) {
    const operand_format& scale = operands_of(*formats.scale);
    read.scales.push_back(
        product(scale.read(word.scale_a[block]), scale.read(word.scale_b[block])));
  }
  return read;
}

term product_at(const dot_word& word, std::size_t k) { return product(word.a[k], word.b[k]); }

term scaled_product_at(const dot_word& word, std::size_t k) {
  if (word.scales.empty()) return product_at(word, k);
  return scaled(product_at(word, k), word.scales[k / word.block_size()]);
}

std::vector<term> scaled_products(const dot_word& word, std::size_t first, std::size_t length) {
  const std::size_t end = std::min(first + length, word.size());
  std::vector<term> terms;
  terms.reserve(end - first + 1);  // an addend usually follows
  for (std::size_t k = first; k < end; ++k) terms.push_back(scaled_product_at(word, k));
  return terms;
}

}  // namespace golden
