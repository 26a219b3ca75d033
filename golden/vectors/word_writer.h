// SPDX-License-Identifier: Apache-2.0
// golden/vectors/word_writer.h: places terms of chosen exponents in one word of a model.
#pragma once
#include <string>
#include <vector>

#include "golden/vectors/code_picker.h"
#include "golden/vectors/dot_measure.h"

namespace golden {

struct vector_word {
  std::string label;
  std::vector<std::uint32_t> a, b, scale_a, scale_b;
  std::uint32_t c = 0;

  [[nodiscard]] word_codes codes() const { return {a, b, c, scale_a, scale_b}; }
};

/// Means of choosing a term's exponent.
///   product  the elements; all scales are the same
///   block    the scales, the elements of a block being around 1
enum class term_place : unsigned char { product, block };

/// Initially a word consists of products +0 * +0 under scales of 1, with C = +0.
class word_writer {
 public:
  /// seed  of the random draws
  word_writer(const device_model& model, term_place place, std::string_view seed);

  vector_word word;
  draws from;
  code_picker a, b, c;
  code_picker scale;  ///< of C's format without scales

  [[nodiscard]] const dot_measure& measure() const { return measure_; }
  [[nodiscard]] bool has_scales() const { return model_->formats.scale != nullptr; }
  /// One step if it has at least two places for terms; else enough steps to have them.
  [[nodiscard]] std::size_t usual_length() const;
  void resize(std::size_t elements);
  /// Sets the length so that a few terms have a place each, if places are products.
  void resize_to_few();

  [[nodiscard]] std::size_t places() const;
  /// Whether terms between the two exponents exist; if so, chooses scales for them.
  [[nodiscard]] bool reaches(int highest, int lowest);
  /// The highest exponent of a term that leaves headroom for sums.
  [[nodiscard]] int usual_highest() const;

  /// A term in one place: +-2^exponent, or numbers of one sign and about that size, with many bits.
  void put_power(std::size_t at, int exponent, bool negative);
  void put_rich(std::size_t at, int exponent, bool negative);
  void put_opposite(std::size_t at, std::size_t of);
  /// Permutes the places.
  void shuffle();

  /// Elements in every place with exponents of at most `spread` in magnitude, scales around 1.
  void fill_near(int spread);
  void set_scales(std::uint32_t code_a, std::uint32_t code_b);

  [[nodiscard]] std::uint32_t result() const;

 private:
  [[nodiscard]] std::size_t place_size() const;
  [[nodiscard]] int lowest_product() const { return a.lowest() + b.lowest(); }
  [[nodiscard]] int highest_product() const { return a.highest() + b.highest(); }
  [[nodiscard]] int part_of(int exponent, const code_picker& one, const code_picker& other);
  void set_block(std::size_t block, int exponent);
  void set_rich_block(std::size_t block, int exponent);
  void put_product(std::size_t k, int exponent, bool negative);

  const device_model* model_;
  dot_measure measure_;
  term_place place_;
  int base_ = 0;  // exponent of the scales if elements choose the term's
};

}  // namespace golden
