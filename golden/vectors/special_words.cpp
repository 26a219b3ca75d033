// SPDX-License-Identifier: Apache-2.0
// golden/vectors/special_words.cpp: zeros and their signs, subnormals, overflow, NaN, Inf.
#include <algorithm>

#include "golden/vectors/word_list.h"

namespace golden {
namespace {

using codes_of_side = std::vector<std::uint32_t> vector_word::*;

void fill(std::vector<std::uint32_t>& list, std::uint32_t code) {
  std::fill(list.begin(), list.end(), code);
}

// Zeros of either sign; C is -0, whose sign a single +0 removes.
word_exists mixed_zeros(word_writer& writer) {
  fill(writer.word.a, writer.a.zero(true));
  fill(writer.word.b, writer.b.power(0, false));
  writer.word.b.back() = writer.b.power(0, true);
  writer.word.c = writer.c.zero(true);
  return word_exists::yes;
}

// Exactly zero: the sum of numbers, with a negative zero among them.
word_exists zero_of_numbers(word_writer& writer) {
  fill(writer.word.a, writer.a.zero(true));
  writer.word.a[0] = writer.a.power(0, true);
  writer.word.b[0] = writer.b.power(0, false);
  writer.word.c = writer.c.power(0, false);
  return word_exists::yes;
}

// A quarter of the smallest result, negative, in the last step: the result is zero.
word_exists negative_rest(word_writer& writer) {
  const output_format& output = writer.measure().output;
  const int rest = output.emin - output.fraction_bits - 2;
  writer.resize_to_few();
  if (!writer.reaches(rest, rest)) return word_exists::no;
  writer.put_power(writer.places() - 1, rest, true);
  writer.word.c = writer.c.zero(true);
  return word_exists::yes;
}

// A sum of the smallest numbers with the smallest C.
word_exists smallest_numbers(word_writer& writer) {
  fill(writer.word.a, writer.a.smallest(true));
  fill(writer.word.b, writer.b.smallest(false));
  writer.word.c = writer.c.smallest(false);
  return word_exists::yes;
}

word_exists subnormals_of(word_writer& writer, codes_of_side side) {
  writer.fill_near(1);
  const code_picker& in = side == &vector_word::a ? writer.a : writer.b;
  fill(writer.word.*side, in.largest_subnormal(false));
  (writer.word.*side)[0] = in.smallest_normal(true);
  writer.word.c = writer.c.largest_subnormal(true);
  return word_exists::yes;
}

// C beside zeros.
word_exists c_alone(word_writer& writer, std::uint32_t code) {
  writer.resize_to_few();
  writer.word.c = code;
  return word_exists::yes;
}

// The smallest normal C, minus so little that the result is subnormal.
word_exists subnormal_result(word_writer& writer) {
  const int high = writer.measure().output.emin - 2;
  if (!writer.reaches(high, high - 2)) return word_exists::no;
  writer.word.c = writer.c.smallest_normal(false);
  for (std::size_t at = 0; at < std::min<std::size_t>(writer.places(), 3); ++at) {
    writer.put_rich(at, high - static_cast<int>(at), at != 1);
  }
  return word_exists::yes;
}

word_exists largest_numbers(word_writer& writer, bool negative, std::uint32_t c) {
  fill(writer.word.a, writer.a.largest(negative));
  fill(writer.word.b, writer.b.largest(false));
  if (writer.has_scales()) {
    writer.set_scales(writer.scale.largest(false), writer.scale.power(0, false));
  }
  writer.word.c = c;
  return word_exists::yes;
}

// The largest C and half of its last bit, which is a tie with the overflow threshold; or a little
// less.
word_exists edge_of_overflow(word_writer& writer, int below) {
  const output_format& output = writer.measure().output;
  const int half = output.emax - output.fraction_bits - 1;
  writer.resize_to_few();
  if (!writer.reaches(half, half - below)) return word_exists::no;
  writer.put_power(0, half, false);
  if (below > 0) writer.put_power(writer.places() - 1, half - below, true);
  writer.word.c = writer.c.largest(false) >> output.unused_bits << output.unused_bits;
  return word_exists::yes;
}

// Opposite products beyond any result: 2^128 and above may be an Inf.
word_exists opposite_beyond(word_writer& writer) {
  const int beyond = writer.measure().output.emax + 1;
  writer.resize_to_few();
  if (!writer.reaches(beyond, beyond)) return word_exists::no;
  writer.put_power(0, beyond, false);
  writer.put_opposite(writer.places() - 1, 0);
  writer.word.c = writer.c.power(0, false);
  return word_exists::yes;
}

// One special code in the first place, against numbers, zero or its opposite.
enum class partner : unsigned char { number, zero, opposite };

word_exists special_code(word_writer& writer, codes_of_side side, std::uint32_t code,
                         partner beside) {
  writer.resize_to_few();
  writer.fill_near(1);
  vector_word& word = writer.word;
  const codes_of_side other_side = side == &vector_word::a ? &vector_word::b : &vector_word::a;
  const code_picker& other = side == &vector_word::a ? writer.b : writer.a;
  (word.*side)[0] = code;
  (word.*other_side)[0] = beside == partner::zero ? other.zero(false) : other.power(0, true);
  if (beside == partner::opposite) {
    (word.*side).back() = code;
    (word.*other_side).back() = other.power(0, false);
  }
  return word_exists::yes;
}

void add_specials_of(word_list& list, const std::string& name, codes_of_side side,
                     const code_picker& in) {
  const auto add = [&](const std::string& label, std::uint32_t code, partner beside) {
    list.add(name + label,
             [=](word_writer& writer) { return special_code(writer, side, code, beside); });
  };
  const std::vector<std::uint32_t> nans = in.nans(), infinities = in.infinities();
  if (!nans.empty()) {
    add(".nan.first", nans.front(), partner::number);
    add(".nan.last", nans.back(), partner::zero);
  }
  if (infinities.empty()) return;
  add(".inf", infinities.front(), partner::number);
  add(".inf.negative", infinities.back(), partner::number);
  add(".inf.by_zero", infinities.front(), partner::zero);
  add(".inf.and_opposite", infinities.front(), partner::opposite);
}

// A NaN whose payload is only in unread bits is an Inf.
void add_unread_payload(word_list& list, const code_picker& in) {
  if (in.infinities().empty() || in.format().width() != 19) return;
  const std::uint32_t code = in.infinities().front() + 1;
  list.add("a.nan.unread", [=](word_writer& writer) {
    return special_code(writer, &vector_word::a, code, partner::number);
  });
}

void add_special_c(word_list& list, const code_picker& c) {
  const auto add = [&](const std::string& label, std::uint32_t code) {
    list.add(label, [=](word_writer& writer) {
      writer.resize_to_few();
      writer.fill_near(1);
      writer.word.c = code;
      return word_exists::yes;
    });
  };
  add("c.nan.first", c.nans().front());
  add("c.nan.last", c.nans().back());
  add("c.inf", c.infinities().front());
  add("c.inf.negative", c.infinities().back());
  add("c.smallest", c.smallest(true));
  add("c.largest", c.largest(true));
}

}  // namespace

void add_special_words(word_list& list) {
  const word_formats& formats = list.model().formats;
  const code_picker a(*formats.a), b(*formats.b), c(*formats.c);
  const auto alone = [](std::uint32_t code) {
    return [=](word_writer& writer) { return c_alone(writer, code); };
  };
  list.add("zeros", alone(c.zero(false)));
  list.add("zeros.c_negative", alone(c.zero(true)));
  list.add("zeros.mixed", mixed_zeros);
  list.add("zeros.sum", zero_of_numbers);
  list.add("zeros.negative_rest", negative_rest);
  list.add("zeros.c_subnormal", alone(c.largest_subnormal(true)));
  list.add("zeros.c_largest", alone(c.largest(false)));
  list.add("smallest", smallest_numbers);
  for (const codes_of_side side : {&vector_word::a, &vector_word::b}) {
    list.add(side == &vector_word::a ? "subnormals.a" : "subnormals.b",
             [=](word_writer& writer) { return subnormals_of(writer, side); });
  }
  list.add("subnormal_result", subnormal_result);
  const auto largest = [](bool negative, std::uint32_t of_c) {
    return [=](word_writer& writer) { return largest_numbers(writer, negative, of_c); };
  };
  list.add("largest", largest(false, c.zero(false)));
  list.add("largest.negative", largest(true, c.largest(true)));
  list.add("largest.c_opposite", largest(false, c.largest(true)));
  for (const int below : {0, 3}) {
    list.add("overflow.edge." + std::to_string(below),
             [=](word_writer& writer) { return edge_of_overflow(writer, below); });
  }
  list.add("overflow.opposite", opposite_beyond);
  add_specials_of(list, "a", &vector_word::a, a);
  add_specials_of(list, "b", &vector_word::b, b);
  add_unread_payload(list, a);
  add_special_c(list, c);
}

}  // namespace golden
