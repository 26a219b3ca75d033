// SPDX-License-Identifier: Apache-2.0
// golden/vectors/ordinary_words.cpp: random numbers, pairs that cancel, odd lengths.
#include <algorithm>
#include <set>

#include "golden/vectors/word_list.h"

namespace golden {
namespace {

using lengths = std::set<std::size_t>;

// Any numbers of the formats; scales and C near 1, so that they do not hide the rest.
word_exists any_numbers(word_writer& writer) {
  writer.fill_near(2);
  for (std::uint32_t& code : writer.word.a) code = writer.a.finite(writer.from);
  for (std::uint32_t& code : writer.word.b) code = writer.b.finite(writer.from);
  const int middle = writer.measure().output.fraction_bits / 2;
  const bool negative = writer.from.one_in(2);
  writer.word.c = writer.c.in_binade(middle, negative, writer.from);
  return word_exists::yes;
}

// Exponents of all factors within `spread` of 0: if it is small, sums carry and cancel; if it is
// large, each is rounded.
word_exists near_numbers(word_writer& writer, std::size_t length, int spread) {
  writer.resize(length);
  writer.fill_near(spread);
  const int exponent = writer.from.between(-3, 3);
  const bool negative = writer.from.one_in(2);
  writer.word.c = writer.c.in_binade(exponent, negative, writer.from);
  return word_exists::yes;
}

// C is the model's negated sum of all other terms, or a neighbour of that.
word_exists cancelled_by_c(word_writer& writer, std::uint32_t off) {
  if (writer.c.format().width() != writer.measure().output.width) return word_exists::no;
  writer.resize(2 * writer.measure().step);
  writer.fill_near(1);
  const std::uint32_t sum = writer.result();
  if (writer.c.format().decode(sum).kind != number_kind::finite) return word_exists::no;
  writer.word.c = writer.c.negated(sum) + off;
  return word_exists::yes;
}

// Opposite products in any order, one small remaining product, and a small C.
word_exists cancelling_pairs(word_writer& writer) {
  writer.resize(std::max<std::size_t>(2 * writer.measure().step, 4));
  const int high = std::min(writer.usual_highest(), 12);
  if (!writer.reaches(high, high - 3)) return word_exists::no;
  const std::size_t places = writer.places();
  for (std::size_t at = 0; at + 1 < places; at += 2) {
    const int exponent = high - writer.from.between(0, 3);
    writer.put_rich(at, exponent, writer.from.one_in(2));
    writer.put_opposite(at + 1, at);
  }
  writer.put_rich(places - 1, high - 3, false);
  writer.shuffle();
  writer.word.c = writer.c.in_binade(-2, true, writer.from);
  return word_exists::yes;
}

// A partial step may be padded with +0: then a sum of negative zeros is not negative.
word_exists negative_zeros_of(word_writer& writer, std::size_t length) {
  writer.resize(length);
  for (std::uint32_t& code : writer.word.a) code = writer.a.zero(true);
  for (std::uint32_t& code : writer.word.b) code = writer.b.power(0, false);
  writer.word.c = writer.c.zero(true);
  return word_exists::yes;
}

}  // namespace

void add_ordinary_words(word_list& list) {
  const std::size_t step = measure_of(list.model()).step;
  for (const char* label : {"numbers.1", "numbers.2"}) list.add(label, any_numbers);
  const auto add_near = [&](const std::string& label, std::size_t length, int spread) {
    list.add(label + std::to_string(length),
             [=](word_writer& writer) { return near_numbers(writer, length, spread); });
  };
  for (const std::size_t length : lengths{1, step, 2 * step}) add_near("near.k", length, 2);
  for (const std::size_t length : lengths{step, step + 1, 2 * step, 3 * step}) {
    add_near("spread.k", length, 9);
  }
  list.add("cancelled", [](word_writer& writer) { return cancelled_by_c(writer, 0); });
  list.add("cancelled.but_one", [](word_writer& writer) { return cancelled_by_c(writer, 1); });
  for (const char* label : {"pairs.1", "pairs.2"}) list.add(label, cancelling_pairs);
  for (const std::size_t length : lengths{step / 2, step - 1, step}) {
    if (length == 0) continue;
    list.add("negative_zeros.k" + std::to_string(length),
             [=](word_writer& writer) { return negative_zeros_of(writer, length); });
  }
}

}  // namespace golden
