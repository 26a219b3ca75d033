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
}

std::size_t fitting_block_size(const word_codes& word, std::optional<std::size_t> wanted) {
  const std::size_t elements = word.a.size();
  const std::size_t scales = word.scale_a.size();
  if (scales == 0) return 1;
  if (!wanted) {
    expect(elements % scales == 0, "no whole number of elements to a scale");
    return elements / scales;
  }
  expect((elements + *wanted - 1) / *wanted == scales, "another block size than the model's");
  return *wanted;
}

std::vector<term> read_all(const number_format& format, codes all) {
  const operand_format& operands = operands_of(format);
  std::vector<term> terms;
  terms.reserve(all.size());
  for (const std::uint32_t bits : all) terms.push_back(operands.read(bits));
  return terms;
}

std::vector<term> read_scales(const number_format& format, codes all) {
  std::vector<term> scales = read_all(format, all);
  for (term& scale : scales) {
    if (scale.kind == number_kind::infinite) scale = nan_term();
  }
  return scales;
}

}  // namespace

dot_word read_word(const word_formats& formats, const word_codes& word,
                   std::optional<std::size_t> block_size) {
  expect_fitting(formats, word);
  dot_word read{read_all(*formats.a, word.a),
                read_all(*formats.b, word.b),
                operands_of(*formats.c).read(word.c),
                {},
                {},
                fitting_block_size(word, block_size)};
  if (formats.scale == nullptr) return read;
  read.scale_a = read_scales(*formats.scale, word.scale_a);
  read.scale_b = read_scales(*formats.scale, word.scale_b);
  return read;
}

term scale_at(const dot_word& word, std::size_t k) {
  const std::size_t block = k / word.block_size;
  if (block >= word.scale_a.size()) return {number_kind::finite, false, {1, 0}, 0};
  return product(word.scale_a[block], word.scale_b[block]);
}

dot_word padded(dot_word word, std::size_t length) {
  const std::size_t size = (word.size() + length - 1) / length * length;
  word.a.resize(size);
  word.b.resize(size);
  return word;
}

term product_at(const dot_word& word, std::size_t k) { return product(word.a[k], word.b[k]); }

term scaled_product_at(const dot_word& word, std::size_t k) {
  return scaled(product_at(word, k), scale_at(word, k));
}

std::vector<term> scaled_products(const dot_word& word, std::size_t first, std::size_t length) {
  const std::size_t end = std::min(first + length, word.size());
  std::vector<term> terms;
  terms.reserve(end - first + 1);  // an addend usually follows
  for (std::size_t k = first; k < end; ++k) terms.push_back(scaled_product_at(word, k));
  return terms;
}

}  // namespace golden
