// SPDX-License-Identifier: Apache-2.0
// tests/rtl/quantizer_words.cpp: blocks for a quantizer in hardware.
#include "quantizer_words.h"

#include <cmath>
#include <limits>
#include <random>

namespace rtl {
namespace {

constexpr std::array roundings{mx::rounding::ties_to_even, mx::rounding::toward_zero,
                               mx::rounding::stochastic};

class word_maker {
 public:
  explicit word_maker(const quantizer_kind& made) : made_(made) {}

  using maker = void (word_maker::*)(quantizer_word&);

  quantizer_word word_of(const char* kind, maker make) {
    quantizer_word word;
    word.kind = kind;
    word.rule = verilog::generated_rules[below(verilog::generated_rules.size())].value;
    word.rounding = roundings[below(roundings.size())];
    word.random = {from_(), made_.random_bits};
    word.number = from_();
    word.fraction = below(2) == 0 ? 0 : static_cast<std::uint32_t>(below(256));
    word.deadzone = below(2) == 0 ? deadzone::flush : deadzone::keep;
    (this->*make)(word);
    for (float& x : word.x) x = rounded_in(x);
    return word;
  }

  void gaussian(quantizer_word& word) {
    const int exponent = between(-20, 20);
    for (float& x : word.x) x = std::ldexp(normal_(from_), exponent);
  }
  void any_code(quantizer_word& word) {
    for (float& x : word.x) x = any_finite();
  }
  void near_each_other(quantizer_word& word) {
    const float x = any_finite();
    for (float& other : word.x) other = beside(x, between(-1, 1));
  }
  void one_maximum(quantizer_word& word) {
    const float x = any_finite();
    word.x.fill(x);
    word.x[below(block_size)] = beside(x, 1);
  }
  /// amax at the bound of a rule, and elements at the thresholds between codes.
  void edges(quantizer_word& word) { edges_at(word, between(-100, 100)); }
  void low_edges(quantizer_word& word) { edges_at(word, between(-149, -118)); }
  void high_edges(quantizer_word& word) { edges_at(word, between(120, 126)); }
  /// The same under the block's own factor: f * amax is just below 6 * 2^k.
  void own_factor(quantizer_word& word) {
    const float amax = std::fabs(any_finite());
    word.fraction = mx::macro_factor_of(mx::unpack(rounded_in(amax)), 8).fraction;
    fill_below(word, amax);
  }
  void subnormals(quantizer_word& word) {
    for (float& x : word.x) x = mx::float_of((from_() & 0x807FFFFFU) >> below(8));
    word.x[0] = mx::float_of(from_() & 0x7FFFFFU);
  }
  void zeros(quantizer_word& word) {
    for (float& x : word.x) x = below(2) == 0 ? 0.0F : -0.0F;
    if (below(2) == 0) word.x[below(block_size)] = any_finite();
  }
  void special(quantizer_word& word) {
    edges(word);
    const auto bits = 0x7F800000U | (below(2) == 0 ? 0 : from_() & 0x7F0000U) | (from_() << 31);
    word.x[below(block_size)] = mx::float_of(bits);
    if (below(8) == 0) word.x.fill(mx::float_of(bits));
  }

 private:
  std::size_t below(std::size_t bound) { return from_() % bound; }
  int between(int low, int high) {
    return low + static_cast<int>(below(static_cast<std::size_t>(high - low + 1)));
  }
  /// A number of the input format; bits beyond its precision are truncated.
  [[nodiscard]] float rounded_in(float x) const {
    const int lost = mx::formats::binary32.fraction_bits - made_.in.fraction_bits;
    return mx::float_of(mx::bits_of(x) >> lost << lost);
  }
  float beside(float x, int steps) const {
    const int lost = mx::formats::binary32.fraction_bits - made_.in.fraction_bits;
    const std::uint32_t bits =
        mx::bits_of(rounded_in(x)) + (static_cast<std::uint32_t>(steps) << lost);
    return (bits & 0x7F800000U) == 0x7F800000U ? x : mx::float_of(bits);
  }
  float any_finite() {
    const auto bits = static_cast<std::uint32_t>(from_());
    return mx::float_of((bits & 0x7F800000U) == 0x7F800000U ? bits ^ 0x40000000U : bits);
  }

  void edges_at(quantizer_word& word, int exponent) {
    // Bounds of all rules for E8M0 and E8M3, in units of 1/32.
    static constexpr std::array bounds{32, 33, 36, 39, 42, 45, 48, 54, 56, 60, 63};
    const double amax =
        std::ldexp(bounds[below(bounds.size())] / 32.0, exponent) / (1.0 + word.fraction / 256.0);
    fill_below(word, beside(static_cast<float>(amax), between(-2, 2)));
  }
  /// Elements at thresholds and codes of the scale that the word has under `amax`, or beside them.
  void fill_below(quantizer_word& word, float amax) {
    word.x.fill(0.0F);
    const float largest = std::fabs(rounded_in(amax));
    const std::size_t place = below(block_size);
    word.x[place] = below(2) == 0 ? largest : -largest;
    const std::uint32_t scale = quantized(made_, word).scale;
    const double unit = mx::decode(made_.scale, scale).significand *
                        std::ldexp(1.0, mx::decode(made_.scale, scale).exponent) /
                        (1.0 + word.fraction / 256.0);
    for (std::size_t i = 0; i < block_size; ++i) {
      if (i == place) continue;
      const auto steps = static_cast<double>(below(below(2) == 0 ? 4 : 26)) / 4;
      const float x = beside(static_cast<float>(steps * unit), between(-1, 1));
      if (std::fabs(x) <= largest) word.x[i] = below(2) == 0 ? x : -x;
    }
  }

  const quantizer_kind& made_;
  std::mt19937 from_{1};
  std::normal_distribution<float> normal_;
};

struct named_maker {
  const char* name;
  word_maker::maker make;
};

constexpr std::array makers{named_maker{"gaussian", &word_maker::gaussian},
                            named_maker{"any code", &word_maker::any_code},
                            named_maker{"near each other", &word_maker::near_each_other},
                            named_maker{"one maximum", &word_maker::one_maximum},
                            named_maker{"edges", &word_maker::edges},
                            named_maker{"low edges", &word_maker::low_edges},
                            named_maker{"high edges", &word_maker::high_edges},
                            named_maker{"own factor", &word_maker::own_factor},
                            named_maker{"subnormals", &word_maker::subnormals},
                            named_maker{"zeros", &word_maker::zeros},
                            named_maker{"special", &word_maker::special}};

}  // namespace

std::vector<quantizer_word> quantizer_words(const quantizer_kind& made, int count) {
  word_maker from(made);
  std::vector<quantizer_word> words;
  for (int i = 0; i < count; ++i) {
    for (const named_maker& kind : makers) words.push_back(from.word_of(kind.name, kind.make));
  }
  return words;
}

}  // namespace rtl
