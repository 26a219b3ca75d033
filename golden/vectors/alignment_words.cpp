// SPDX-License-Identifier: Apache-2.0
// golden/vectors/alignment_words.cpp: terms at the distances where alignment truncates them.
#include <algorithm>
#include <set>

#include "golden/vectors/word_list.h"

namespace golden {
namespace {

// 0, 1, and around every window. Truncated bits decide a result bit only if the large terms cancel,
// or if a sum is just below a power of two.
std::set<int> distances_of(const dot_measure& measure) {
  std::set<int> all{0, 1};
  for (const int window : measure.windows) all.insert({window - 1, window, window + 1});
  return all;
}

// A large term, its opposite (C if a step has no third place), and small ones of one sign.
word_exists small_terms(word_writer& writer, int distance) {
  const int high = writer.usual_highest() - writer.from.between(0, 1);
  if (!writer.reaches(high, high - distance)) return word_exists::no;
  const bool negative = writer.from.one_in(2);
  writer.put_power(0, high, negative);
  const bool c_is_opposite = writer.places() < 3;
  if (c_is_opposite) {
    if (high > writer.c.highest()) return word_exists::no;
    writer.word.c = writer.c.power(high, !negative);
  } else {
    writer.put_opposite(1, 0);
  }
  for (std::size_t at = c_is_opposite ? 1 : 2; at < writer.places(); ++at) {
    writer.put_rich(at, high - distance, negative);
  }
  writer.shuffle();
  return word_exists::yes;
}

// Two large terms that cancel, and C below them: negative, so that rounding down and truncation
// differ.
word_exists small_c(word_writer& writer, int distance) {
  writer.resize_to_few();
  const int high = writer.usual_highest() - writer.from.between(0, 1);
  if (!writer.c.has(high - distance) || !writer.reaches(high, high)) return word_exists::no;
  writer.put_rich(0, high, false);
  writer.put_opposite(1, 0);
  writer.shuffle();
  writer.word.c = writer.c.in_binade(high - distance, true, writer.from);
  return word_exists::yes;
}

// C is a power of two from which all terms subtract.
word_exists large_c(word_writer& writer, int distance) {
  const int of_c = std::min(writer.usual_highest() + distance, writer.measure().output.emax - 2);
  if (!writer.c.has(of_c) || !writer.reaches(of_c - distance, of_c - distance)) {
    return word_exists::no;
  }
  const bool negative = writer.from.one_in(2);
  writer.word.c = writer.c.power(of_c, negative);
  for (std::size_t at = 0; at < writer.places(); ++at) {
    writer.put_rich(at, of_c - distance, !negative);
  }
  return word_exists::yes;
}

// C at a tie: its last bit is even or odd, or it is a power of two, minus one and a half of the
// bits below it.
enum class addend : unsigned char { even, odd, power };

///   below  distance of the rest below the half bit; nothing if there is no rest
struct tie {
  std::string label;
  addend c;
  std::optional<int> below;
  bool rest_is_negative;
};

// C, half of its last bit, and a small rest of either sign.
word_exists half_of_last_bit(word_writer& writer, const tie& kind) {
  writer.resize_to_few();
  const output_format& output = writer.measure().output;
  const int below = kind.below.value_or(0);
  const int high = std::min(writer.usual_highest() - 1, output.emax - output.fraction_bits - 3);
  const int of_c = high + output.fraction_bits + 1;
  if (!writer.c.has(of_c + 1) || !writer.reaches(high + 1, high - below)) return word_exists::no;
  const std::uint32_t last = 1U << output.unused_bits;
  if (kind.c == addend::power) {
    writer.word.c = writer.c.power(of_c + 1, false);
    writer.put_power(1, high + 1, true);
  } else {
    writer.word.c = writer.c.power(of_c, false) + (kind.c == addend::odd ? 3 * last : 2 * last);
  }
  writer.put_power(0, high, kind.c == addend::power);
  if (kind.below) writer.put_power(writer.places() - 1, high - below, kind.rest_is_negative);
  return word_exists::yes;
}

// The rest is a window's width below C if results are rounded to nearest; in any model also next to
// the half bit and well below it.
std::vector<tie> ties_of(const dot_measure& measure) {
  std::vector<tie> ties{{"tie.even", addend::even, std::nullopt, false},
                        {"tie.odd", addend::odd, std::nullopt, false},
                        {"tie.power", addend::power, std::nullopt, false}};
  std::set<int> rests{1, 12};
  for (const int distance : distances_of(measure)) {
    const int below = distance - measure.output.fraction_bits - 1;
    if (below > 0 && measure.output.direction == rounding::nearest_even) rests.insert(below);
  }
  for (const int below : rests) {
    const std::string at = "." + std::to_string(below);
    ties.push_back({"tie.even.more" + at, addend::even, below, false});
    ties.push_back({"tie.odd.less" + at, addend::odd, below, true});
    ties.push_back({"tie.power.less" + at, addend::power, below, false});
  }
  return ties;
}

// One large term, and otherwise only halves of its last bit, which count if they are added to each
// other first: this exposes the order of additions.
word_exists halves_of_last_bit(word_writer& writer) {
  const int high = writer.usual_highest();
  const int half = high - writer.measure().output.fraction_bits - 1;
  writer.resize(std::max<std::size_t>(writer.usual_length(), 4));
  if (!writer.reaches(high, half)) return word_exists::no;
  writer.put_power(0, high, false);
  for (std::size_t at = 1; at < writer.places(); ++at) writer.put_power(at, half, false);
  return word_exists::yes;
}

// C, and two steps of products that are half of C's last bit, except for one zero in each `part`:
// the sum of one part lies between two numbers, that of two parts is one.
word_exists halves_in_parts(word_writer& writer, std::size_t part) {
  const std::size_t step = writer.measure().step;
  const output_format& output = writer.measure().output;
  writer.resize(2 * step);
  const int half = std::min(writer.usual_highest() - 1, output.emax - output.fraction_bits - 3);
  const int of_c = half + output.fraction_bits + 1;
  if (part < 2 || !writer.c.has(of_c) || !writer.reaches(half, half)) return word_exists::no;
  writer.word.c = writer.c.power(of_c, false);
  for (std::size_t at = 0; at < 2 * step; ++at) {
    if (at % part != 0) writer.put_power(at, half, false);
  }
  return word_exists::yes;
}

// A result decided by the smallest change: its smallest number minus a small term if results are
// truncated, half of that plus a small term if they are rounded to nearest. The small term is a
// window below the exponent of zeros, and all other terms are zero.
word_exists near_zero_exponent(word_writer& writer, int off) {
  const dot_measure& measure = writer.measure();
  const bool to_nearest = measure.output.direction == rounding::nearest_even;
  const int smallest = measure.output.emin - measure.output.fraction_bits;
  const int high = to_nearest ? smallest - 1 : smallest;
  const int low = measure.zero_exponent.value() - measure.windows.front() + off;
  // The large term is split into as many parts as bring it within range of the small one.
  int halvings = 0;
  while (!writer.reaches(high - halvings, low)) {
    if (++halvings > 4) return word_exists::no;
  }
  const std::size_t parts = std::size_t{1} << halvings;
  if (parts >= writer.places()) return word_exists::no;
  for (std::size_t at = 0; at < parts; ++at) writer.put_power(at, high - halvings, false);
  writer.put_power(parts, low, !to_nearest);
  return word_exists::yes;
}

// The largest exponent is that of a subnormal's exponent field, above the number's own. Lower terms
// are at a distance from one or the other.
word_exists subnormal_leads(word_writer& writer, int distance) {
  writer.resize_to_few();
  const number_format& format = writer.a.format();
  if (!format.has_zero()) return word_exists::no;
  const int high = writer.a.lowest() + format.fraction_bits() + writer.b.highest();
  const int low = high - distance;
  const bool products_reach = low >= writer.a.lowest() + writer.b.lowest();
  for (const std::size_t at : {2, 3}) {
    if (products_reach) writer.put_rich(at, low, false);
  }
  writer.word.a[0] = writer.a.smallest(false);
  writer.word.a[1] = writer.a.smallest(true);
  writer.word.b[0] = writer.word.b[1] = writer.b.power(writer.b.highest(), false);
  if (low >= writer.c.lowest() && low <= writer.c.highest()) {
    writer.word.c = writer.c.in_binade(low, false, writer.from);
  }
  return word_exists::yes;
}

void add_words_around_zeros(word_list& list, const named_place& at) {
  if (!measure_of(list.model()).zero_exponent) return;
  for (int off = -1; off <= 2; ++off) {
    list.add(
        "zeros_align." + at.name + "." + std::to_string(off),
        [=](word_writer& writer) { return near_zero_exponent(writer, off); }, at.place);
  }
}

}  // namespace

void add_alignment_words(word_list& list) {
  const dot_measure measure = measure_of(list.model());
  for (const named_place& at : list.places()) {
    const auto add = [&](const std::string& label, auto make, int distance) {
      list.add(
          label + at.name + "." + std::to_string(distance),
          [=](word_writer& writer) { return make(writer, distance); }, at.place);
    };
    for (const int distance : distances_of(measure)) {
      add("small_terms.", small_terms, distance);
      add("small_c.", small_c, distance);
      add("large_c.", large_c, distance);
    }
    if (at.place == term_place::block) {
      add("small_terms.again.", small_terms, measure.windows.front() - 1);
    }
    list.add("halves." + at.name, halves_of_last_bit, at.place);
    if (at.place == term_place::product) {
      const auto add_parts = [&](const char* label, std::size_t part) {
        list.add(label, [=](word_writer& writer) { return halves_in_parts(writer, part); });
      };
      add_parts("halves.in_steps", measure.step);
      add_parts("halves.in_half_steps", measure.step / 2);
    }
    add_words_around_zeros(list, at);
  }
  for (const tie& kind : ties_of(measure)) {
    list.add(kind.label, [&](word_writer& writer) { return half_of_last_bit(writer, kind); });
  }
  for (const int distance : distances_of(measure)) {
    list.add("subnormal_leads." + std::to_string(distance),
             [=](word_writer& writer) { return subnormal_leads(writer, distance); });
  }
}

}  // namespace golden
