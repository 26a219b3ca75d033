// SPDX-License-Identifier: Apache-2.0
// golden/vectors/packs/wide_words.cpp: terms at chosen exponents and places, by distance.
#include "golden/vectors/packs/wide_words.h"

#include <fmt/format.h>

#include <algorithm>

#include "mx/number/element.h"
#include "mx/number/philox.h"

namespace golden::packs {
namespace {

/// One word under construction; draws are seeded by the family's name and the word's number.
class word_maker {
 public:
  word_maker(const word_family& family, std::uint32_t number) : f_(family), number_(number) {
    word.a.assign(static_cast<std::size_t>(f_.k), 0);
    word.b = word.a;
    const std::uint32_t one = code_of(f_.scale, false, 1, 0);
    word.scale_a.assign(static_cast<std::size_t>(f_.scales()), one);
    word.scale_b = word.scale_a;
    for (int i = 0; i < f_.places(); ++i) free_.push_back(i);
  }

  wide_word word;

  [[nodiscard]] const word_family& family() const { return f_; }
  [[nodiscard]] int drawn(int low, int high) {
    return low + static_cast<int>(bits() % static_cast<std::uint32_t>(high - low + 1));
  }
  /// A place without a term, or the first or last of them.
  [[nodiscard]] int any_place() {
    return taken(static_cast<std::size_t>(drawn(0, static_cast<int>(free_.size()) - 1)));
  }
  [[nodiscard]] int first_place() { return taken(0); }
  [[nodiscard]] int last_place() { return taken(free_.size() - 1); }
  [[nodiscard]] std::size_t places_left() const { return free_.size(); }

  /// +-2^exponent, alone in its place.
  void put_power(int place, int exponent, bool negative) {
    const int left = set_scales(place, exponent);
    const int k = f_.block > 0 ? place * f_.block + drawn(0, f_.block - 1) : place;
    put_product(k, left, negative, 0);
  }
  /// About that magnitude with many bits: a product, or a block full of them.
  void put_rich(int place, int exponent) {
    const int left = set_scales(place, exponent);
    if (f_.block == 0) return put_product(place, left, bits() % 2 == 0, bits());
    for (int k = place * f_.block; k < (place + 1) * f_.block; ++k) {
      at(word.a, k) = random_code(f_.element);
      at(word.b, k) = random_code(f_.element_b);
    }
  }
  /// The negated term of another place.
  void put_opposite(int place, int of) {
    if (f_.block == 0) return copy_negated(of, place);
    at(word.scale_a, place) = at(word.scale_a, of), at(word.scale_b, place) = at(word.scale_b, of);
    for (int i = 0; i < f_.block; ++i) copy_negated(of * f_.block + i, place * f_.block + i);
  }
  void put_addend(int exponent, bool negative) {
    word.c = code_of(f_.addend, negative, 1, exponent);
  }
  /// Whether the formats have all requested terms.
  [[nodiscard]] bool is_whole() const { return whole_; }

 private:
  static std::uint32_t& at(std::vector<std::uint32_t>& codes, int place) {
    return codes[static_cast<std::size_t>(place)];
  }
  std::uint32_t bits() {
    std::uint32_t name = 0;
    for (const char* letter = f_.name; *letter != '\0'; ++letter) {
      name = name * 31 + static_cast<unsigned char>(*letter);
    }
    return mx::philox(name, {{number_, draws_++, 0, 0}}).word[0];
  }
  int taken(std::size_t index) {
    const int place = free_[index];
    free_.erase(free_.begin() + static_cast<std::ptrdiff_t>(index));
    return place;
  }
  static std::uint32_t code_of(const mx::format& f, bool negative, std::uint64_t significand,
                               int exponent) {
    return mx::encode(f, mx::unpacked::finite(negative, significand, exponent),
                      mx::rounding::ties_to_even, mx::overflow::saturate);
  }
  /// Exponents of the smallest number above zero, or the smallest normal one, to the largest.
  static int smallest(const mx::format& f) {
    return f.lowest_field == mx::lowest_field::normal ? f.emin() : f.emin() - f.fraction_bits;
  }
  /// The scales' share of an exponent; returns the elements'.
  int set_scales(int place, int exponent) {
    if (f_.block == 0) return exponent;
    const int low = smallest(f_.scale), high = f_.scale.emax();
    const int share = std::clamp(exponent, 2 * low, 2 * high);
    const int of_a = std::clamp(share / 2 + drawn(-3, 3), std::max(low, share - high),
                                std::min(high, share - low));
    at(word.scale_a, place) = code_of(f_.scale, false, 1, of_a);
    at(word.scale_b, place) = code_of(f_.scale, false, 1, share - of_a);
    return exponent - share;
  }
  void put_product(int k, int exponent, bool negative, std::uint32_t fraction) {
    const range a = range_of(f_.element, fraction), b = range_of(f_.element_b, fraction);
    whole_ = whole_ && exponent >= a.low + b.low && exponent <= a.high + b.high;
    if (!whole_) return;
    const int of_a = std::clamp(exponent / 2 + drawn(-1, 1), std::max(a.low, exponent - b.high),
                                std::min(a.high, exponent - b.low));
    at(word.a, k) = filled_code(f_.element, negative, of_a, fraction);
    at(word.b, k) = filled_code(f_.element_b, false, exponent - of_a, fraction >> 16);
  }
  struct range {
    int low, high;
  };
  /// Exponents of numbers with these bits below their first one.
  static range range_of(const mx::format& f, std::uint32_t fraction) {
    return {fraction == 0 ? smallest(f) : f.emin(), f.emax() - 1};
  }
  static std::uint32_t filled_code(const mx::format& f, bool negative, int exponent,
                                   std::uint32_t fraction) {
    const std::uint64_t hidden = std::uint64_t{1} << f.fraction_bits;
    return code_of(f, negative, hidden | (fraction & (hidden - 1)), exponent - f.fraction_bits);
  }
  std::uint32_t random_code(const mx::format& f) {
    return (bits() % (f.max_code() + 1)) | (bits() % 2 == 0 ? f.sign_mask() : 0);
  }
  void copy_negated(int from, int to) {
    at(word.a, to) = at(word.a, from);
    at(word.b, to) = at(word.b, from) ^ f_.element_b.sign_mask();
  }

  const word_family& f_;
  std::uint32_t number_, draws_ = 0;
  std::vector<int> free_;
  bool whole_ = true;
};

/// A kind of word, by the distance of its small terms from its large ones.
struct word_kind {
  const char* sentence;
  void (*fill)(word_maker& w, int highest, int distance);
};

void cancel_products(word_maker& w, int highest, int distance) {
  w.put_power(w.any_place(), highest, false);
  w.put_power(w.any_place(), highest, true);
  w.put_rich(w.any_place(), highest - distance);
}

void cancel_addend(word_maker& w, int highest, int distance) {
  w.put_addend(highest, true);
  w.put_power(w.any_place(), highest, false);
  w.put_rich(w.any_place(), highest - distance);
  w.put_power(w.any_place(), highest - distance, true);
}

void cancel_last(word_maker& w, int highest, int distance) {
  w.put_power(w.first_place(), highest, false);
  w.put_power(w.last_place(), highest, true);
  while (w.places_left() > 0) w.put_rich(w.any_place(), highest - distance - w.drawn(0, 2));
}

void stand_beside_a_tie(word_maker& w, int highest, int distance) {
  w.put_addend(highest, false);
  w.put_power(w.any_place(), highest - 24, false);
  w.put_power(w.any_place(), highest - 24 - distance, distance % 2 == 0);
}

void cancel_everything_but_one(word_maker& w, int highest, int distance) {
  while (w.places_left() > 2) {
    const int place = w.any_place();
    w.put_rich(place, highest - w.drawn(0, distance));
    w.put_opposite(w.any_place(), place);
  }
  w.put_rich(w.any_place(), highest - distance);
}

void spread_widely(word_maker& w, int highest, int distance) {
  while (w.places_left() > 0) w.put_rich(w.any_place(), highest - w.drawn(0, distance));
  w.put_addend(highest - distance / 2, distance % 2 == 0);
}

constexpr word_kind kinds[] = {
    {"two products or blocks cancel, a third lies below them", cancel_products},
    {"C cancels a product or block, others lie below", cancel_addend},
    {"the first and the last cancel, all others lie below", cancel_last},
    {"C and half a unit of its last bit, with a term below that", stand_beside_a_tie},
    {"pairs that cancel over the distance, and one that does not", cancel_everything_but_one},
    {"terms spread over the distance, and C in its middle", spread_widely}};

void add_zeros_and_signs(const word_family& family, std::vector<wide_word>& words) {
  const mx::format& f = family.addend;
  const std::uint32_t sign = f.sign_mask(), infinity = f.max_code() + 1;
  const std::uint32_t nan = sign | infinity | 1U << (f.fraction_bits - 1) | 1U;
  for (const auto& [c, sentence] :
       {std::pair{sign, "C = -0 and products +0"}, std::pair{0U, "C = +0 and products +0"},
        std::pair{infinity, "C = +Inf"}, std::pair{nan, "C is a NaN with a payload"},
        std::pair{1U, "C is the smallest subnormal"}, std::pair{f.max_code(), "C = FLT_MAX"}}) {
    word_maker w(family, static_cast<std::uint32_t>(words.size()));
    w.word.c = c;
    w.word.sentence = sentence;
    words.push_back(w.word);
  }
}

}  // namespace

std::vector<wide_word> wide_words(const word_family& family) {
  constexpr int longest_distance = 47;
  std::vector<wide_word> words;
  for (const word_kind& kind : kinds) {
    for (int distance = 0; distance <= longest_distance; ++distance) {
      word_maker w(family, static_cast<std::uint32_t>(words.size()));
      kind.fill(w, family.highest, distance);
      if (!w.is_whole()) continue;
      w.word.sentence = fmt::format("{}: distance 2^{}", kind.sentence, distance);
      words.push_back(w.word);
    }
  }
  add_zeros_and_signs(family, words);
  return words;
}

}  // namespace golden::packs
