// SPDX-License-Identifier: Apache-2.0
// golden/vectors/word_writer.h: puts terms of chosen exponents into one word of a model.
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

/// What the exponent of a term is chosen with.
///   product  the elements; all scales are the same
///   block    the scales, the elements of a block being around 1
enum class term_place : unsigned char { product, block };

/// A word begins as products +0 * +0 under scales of 1, with C = +0.
class word_writer {
 public:
  /// seed  of what is left to chance
  word_writer(const device_model& model, term_place place, std::string_view seed);

  vector_word word;
  draws from;
  code_picker a, b, c;
  code_picker scale;  ///< of C's format where there are no scales

  [[nodiscard]] const dot_measure& measure() const { return measure_; }
  [[nodiscard]] bool has_scales() const { return model_->formats.scale != nullptr; }
  /// A step, as far as it has two places for terms; else so many that it has.
  [[nodiscard]] std::size_t usual_length() const;
  void resize(std::size_t elements);
  /// So many that a few terms have a place each, where these are products.
  void resize_to_few();

  [[nodiscard]] std::size_t places() const;
  /// Whether terms from the one to the other exponent exist; if so, scales are chosen for them.
  [[nodiscard]] bool reaches(int highest, int lowest);
  /// The highest exponent of a term that leaves room above it for sums.
  [[nodiscard]] int usual_highest() const;

  /// A term in one place: +-2^exponent, or numbers around that of one sign, with many bits.
  void put_power(std::size_t at, int exponent, bool negative);
  void put_rich(std::size_t at, int exponent, bool negative);
  void put_opposite(std::size_t at, std::size_t of);
  /// Places in another order.
  void shuffle();

  /// Elements in every place whose exponents are at most `spread` above or below 0, scales around
  /// 1.
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
  int base_ = 0;  // exponent of the scales where elements choose
};

}  // namespace golden
