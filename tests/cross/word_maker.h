// SPDX-License-Identifier: Apache-2.0
// tests/cross/word_maker.h: draws one word for a model of a dot product.
#pragma once
#include "code_source.h"
#include "dot_words.h"

namespace cross {

/// Draws one word of one kind; used once.
class word_maker {
 public:
  word_maker(const dot_twins& twins, int k, std::uint32_t seed)
      : core_(twins.core),
        k_(k),
        scales_(twins.scales(k)),
        from_(seed),
        a_(core_.a, core_.unread_bits, from_),
        b_(core_.b, core_.unread_bits, from_),
        c_(format_of_c(core_.sum), 0, from_),
        scale_(core_.scale, 0, from_) {}

  dot_word word;

  void any_bits();
  /// Exponents that hardly differ: sums cancel, carry and round.
  void near();
  void mixed_with_zeros();
  /// Only zeros, most products and C negative.
  void zeros();
  /// Pairs of opposite products, in any order, sometimes with a remainder; C the negative result or
  /// its neighbour.
  void cancelling();
  /// Products, blocks and C at distances that matter to the window.
  void aligned();
  /// Zeros, some products below the exponent that zeros are read at, and others as far below those
  /// as the window has bits, which make the sum smaller if they are not truncated.
  void around_zeros();
  /// C, half of its last bit, and a little more or less.
  void ties();
  void specials();
  /// Results that are subnormal or zero.
  void tiny();
  /// Results around the largest number, and beyond.
  void huge();
  void edges();
  void edge_of_c();
  void edges_of_scales();

 private:
  static std::size_t at(int k) { return static_cast<std::size_t>(k); }

  template <class DrawA, class DrawB>
  void fill(const DrawA& a, const DrawB& b) {
    for (int k = 0; k < k_; ++k) {
      word.a.push_back(a());
      word.b.push_back(b());
    }
  }
  template <class Draw>
  void scales(const Draw& draw) {
    for (int i = 0; i < scales_; ++i) {
      word.scale_a.push_back(draw());
      word.scale_b.push_back(draw());
    }
  }
  static std::uint32_t all_bits(const mx::format& f) { return f.magnitude_mask() | f.sign_mask(); }
  [[nodiscard]] std::uint32_t zero_of(const mx::format& f) {
    return from_.one_in(2) ? f.sign_mask() : 0;
  }
  void near_elements() {
    for (int k = 0; k < k_; ++k) word.b[at(k)] = b_.near(b_.middle_exponent(), 3);
  }

  void shuffle();

  /// Products about 2^exponent, by their scales or by their elements.
  void shifted_to(int exponent);

  /// 0, 1, and around the window's bits, those of a result, and twice them.
  int distance();

  [[nodiscard]] std::uint32_t result() const;

  const mx::dot_model& core_;
  int k_, scales_;
  draws from_;
  code_source a_, b_, c_, scale_;
};

}  // namespace cross
