// SPDX-License-Identifier: Apache-2.0
// golden/reference/dot_word.h: the operands of one dot product with addend, read from their codes.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "golden/reference/operand_format.h"
#include "golden/reference/output_format.h"

namespace golden {

using codes = std::span<const std::uint32_t>;

/// What the codes of a word are written in. The scale is null where there are no scales, d where it
/// is written as c.
struct word_formats {
  const number_format* a = nullptr;
  const number_format* b = nullptr;
  const number_format* c = nullptr;
  const number_format* scale = nullptr;
  const number_format* d = nullptr;

  [[nodiscard]] const number_format& result() const { return d == nullptr ? *c : *d; }
};

/// The codes of one word: sum over k of a[k] b[k], plus c.
///   scale_a, scale_b  one for each block of elements that follow each other, the same number of
///                     both; empty where there are no scales
struct word_codes {
  codes a, b;
  std::uint32_t c = 0;
  codes scale_a = {}, scale_b = {};
};

///   scale_a, scale_b  an Inf is read as NaN: it tells of an overflow elsewhere
///   block_size        elements to a scale, the last may have fewer; 1 where there are no scales
struct dot_word {
  std::vector<term> a, b;
  term c;
  std::vector<term> scale_a, scale_b;
  std::size_t block_size = 1;

  [[nodiscard]] std::size_t size() const { return a.size(); }
  [[nodiscard]] bool has_scales() const { return !scale_a.empty(); }
};

/// block_size  nothing where there are no scales, or all have the same number of elements
/// errors      std::invalid_argument where lengths do not fit; std::out_of_range where a code is
/// none
[[nodiscard]] dot_word read_word(const word_formats& formats, const word_codes& word,
                                 std::optional<std::size_t> block_size = std::nullopt);

/// The scale of a[k] times that of b[k]; 1 where there are none, and beyond the last block.
[[nodiscard]] term scale_at(const dot_word& word, std::size_t k);

/// a[k] b[k], without the scales, and with them.
[[nodiscard]] term product_at(const dot_word& word, std::size_t k);
[[nodiscard]] term scaled_product_at(const dot_word& word, std::size_t k);

/// The scaled products of [first, first + length), as far as there are any.
[[nodiscard]] std::vector<term> scaled_products(const dot_word& word, std::size_t first,
                                                std::size_t length);

/// The word with +0 * +0 up to a multiple of `length` elements, as an instruction that takes that
/// many at once gets it. These have no scales.
[[nodiscard]] dot_word padded(dot_word word, std::size_t length);

/// A long sum as a chain of steps over `length` elements each: every result is the addend of the
/// next. Step is a function of (first element, addend) that returns a `rounded`.
template <class Step>
[[nodiscard]] rounded chained(const dot_word& word, std::size_t length, Step step) {
  rounded sum{0, word.c};
  for (std::size_t first = 0; first < word.size(); first += length) sum = step(first, sum.value);
  return sum;
}

}  // namespace golden
