// SPDX-License-Identifier: Apache-2.0
// golden/vectors/scale_words.cpp: extreme scales, their NaN, unread bits.
#include <algorithm>

#include "golden/reference/formats.h"
#include "golden/vectors/word_list.h"

namespace golden {
namespace {

// The first scale of a is the code, all else is around 1.
word_exists one_scale(word_writer& writer, std::uint32_t code) {
  writer.resize(
      std::max(writer.usual_length(), 2 * writer.word.a.size() / writer.word.scale_a.size()));
  writer.fill_near(1);
  writer.word.scale_a[0] = code;
  writer.word.c = writer.c.power(0, true);
  return word_exists::yes;
}

word_exists all_scales(word_writer& writer, std::uint32_t of_a, std::uint32_t of_b) {
  writer.fill_near(1);
  writer.set_scales(of_a, of_b);
  writer.word.c = writer.c.smallest(true);
  return word_exists::yes;
}

// A block of zeros under the last scale of b, and numbers under small scales: zeros may align.
word_exists zeros_under(word_writer& writer, std::uint32_t code) {
  const std::size_t block = writer.word.a.size() / writer.word.scale_a.size();
  writer.resize(std::max(writer.usual_length(), 2 * block));
  writer.fill_near(1);
  std::fill_n(writer.word.a.begin(), block, writer.a.zero(false));
  writer.word.scale_b[0] = code;
  writer.word.c = writer.c.zero(true);
  return word_exists::yes;
}

std::vector<std::uint32_t> edges_of(const code_picker& scale) {
  const number_format& format = scale.format();
  std::vector<std::uint32_t> codes{0, 1, scale.power(0, false), format.magnitudes() - 1};
  if (format.fraction_bits() > 0) {
    codes.push_back(scale.largest_subnormal(false));
    codes.push_back(scale.smallest_normal(false));
  }
  codes.push_back(format.nan_code());
  if (&format != &formats::ue4m3()) return codes;
  for (const std::uint32_t code : {0U, 1U, scale.power(0, false), format.nan_code()}) {
    codes.push_back(code | 0x80);  // bit 7 is not read
  }
  return codes;
}

}  // namespace

void add_scale_words(word_list& list) {
  const number_format* format = list.model().formats.scale;
  if (format == nullptr) return;
  const code_picker scale(*format);
  for (const std::uint32_t code : edges_of(scale)) {
    list.add("scale." + std::to_string(code),
             [=](word_writer& writer) { return one_scale(writer, code); });
  }
  const std::uint32_t last = format->magnitudes() - 1;
  const auto both = [](std::uint32_t of_a, std::uint32_t of_b) {
    return [=](word_writer& writer) { return all_scales(writer, of_a, of_b); };
  };
  list.add("scales.smallest", both(0, 0));
  list.add("scales.largest", both(last, last));
  list.add("scales.opposite", both(0, last));
  list.add("scales.above_smallest", both(1, 1));
  for (const std::uint32_t code : {0U, last, format->nan_code()}) {
    list.add("zeros_under." + std::to_string(code),
             [=](word_writer& writer) { return zeros_under(writer, code); });
  }
}

}  // namespace golden
