// SPDX-License-Identifier: Apache-2.0
// emulator/src/spelling/correction.cpp: corrections as words, parsed and printed: +mbs=, +of=,
// +gain=, +rotate=, +double.
#include <algorithm>
#include <charconv>
#include <stdexcept>

#include "mx/block/names.h"
#include "spelling/parts.h"
#include "spelling/words.h"

namespace mx::spelling {
namespace {

void read_macro_block(std::string_view text, std::string_view part, corrections& c) {
  constexpr std::string_view expected = "mbs=ELEMENTS or mbs=ELEMENTS,BITS, such as mbs=128,8";
  const auto numbers = split(text, ',');
  if (numbers.size() > 2) refuse(part, expected);
  c.macro_block = number_in<int>(numbers[0], part, expected);
  if (numbers.size() == 2) c.macro_bits = number_in<int>(numbers[1], part, expected);
  if (c.macro_block < 1) refuse(part, expected);
}

void read_score(std::string_view text, std::string_view part, corrections& c) {
  constexpr std::string_view expected = "a score and a threshold: dead:0.05, amax:3 or crest:4";
  const auto words = split(text, ':');
  if (words.size() != 2) refuse(part, expected);
  c.fallback = fallback_mode::selective;
  c.score = value_named(fallback_score_table, "score", words[0]);
  c.threshold = number_in<float>(words[1], part, expected);
}

void read_fallback(std::string_view text, std::string_view part, corrections& c) {
  constexpr std::string_view expected =
      "of=ALPHA, of=ALPHA,SCORE:THRESHOLD or of=ALPHA,SCORE:THRESHOLD,GRANULE, such as "
      "of=0.5,dead:0.05,128";
  const auto parts = split(text, ',');
  if (parts.size() > 3) refuse(part, expected);
  c.fallback = fallback_mode::all;
  c.alpha = number_in<float>(parts[0], part, expected);
  if (parts.size() > 1) read_score(parts[1], part, c);
  if (parts.size() > 2) c.granule = number_in<int>(parts[2], part, expected);
}

void read_gain(std::string_view text, std::string_view part, corrections& c) {
  if (text == "3/4") {
    c.gain = pre_gain::three_quarters;
  } else if (text == "16/17") {
    c.gain = pre_gain::sixteen_seventeenths;
  } else {
    refuse(part, "gain=3/4 or gain=16/17");
  }
}

[[noreturn]] void refuse_correction(std::string_view part) {
  const std::vector<std::string_view> names{"mbs", "of", "gain", "rotate", "double"};
  const std::string_view name = part.substr(0, part.find('='));
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    throw_unknown("correction", name, names);
  }
  refuse(part, name == "double" ? "double, which takes no value"
                                : std::string(name) +
                                      "= and a value, such as mbs=128,8, of=0.5, "
                                      "gain=3/4 or rotate=32");
}

/// Whether a format has the correction of a name already.
bool has_correction(const spelled_format& f, std::string_view name) {
  if (name == "mbs") return f.corrections.macro_block > 0;
  if (name == "of") return f.corrections.has_residual();
  if (name == "gain") return f.corrections.gain != pre_gain::one;
  if (name == "rotate") return f.corrections.rotation.size > 0;
  return name == "double" && f.passes == passes::twice;
}

/// Refuses a second correction of one name, which would replace the first.
void expect_first(std::string_view part, const spelled_format& so_far) {
  const std::string name(part.substr(0, part.find('=')));
  if (!has_correction(so_far, name)) return;
  throw std::invalid_argument("`" + std::string(part) + "`: the format already has a correction `" +
                              name + "`; keep one of them");
}

std::string shortest(float number) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, number).ptr};
}

std::string fallback_spelling(const corrections& c) {
  if (!c.has_residual()) return {};
  std::string text = "+of=" + shortest(c.alpha);
  if (c.fallback == fallback_mode::selective) {
    text += "," + std::string(name_in(fallback_score_table, c.score)) + ":" + shortest(c.threshold);
    if (c.granule > 0) text += "," + std::to_string(c.granule);
  }
  return text;
}

}  // namespace

void read_correction(std::string_view part, spelled_format& result) {
  expect_first(part, result);
  std::string_view rest = part;
  if (part == "double") {
    result.passes = passes::twice;
  } else if (take(rest, "mbs=")) {
    read_macro_block(rest, part, result.corrections);
  } else if (take(rest, "of=")) {
    read_fallback(rest, part, result.corrections);
  } else if (take(rest, "gain=")) {
    read_gain(rest, part, result.corrections);
  } else if (take(rest, "rotate=")) {
    result.corrections.rotation = rotation_spelled(rest);
  } else {
    refuse_correction(part);
  }
}

std::string corrections_spelling(const spelled_format& f) {
  const corrections& c = f.corrections;
  std::string text;
  if (f.passes == passes::twice) text += "+double";
  if (c.rotation.size > 0) text += "+rotate=" + spelling_of(c.rotation);
  if (c.gain == pre_gain::three_quarters) text += "+gain=3/4";
  if (c.gain == pre_gain::sixteen_seventeenths) text += "+gain=16/17";
  if (c.macro_block > 0) {
    text += "+mbs=" + std::to_string(c.macro_block) + "," + std::to_string(c.macro_bits);
  }
  return text + fallback_spelling(c);
}

}  // namespace mx::spelling

namespace mx {

rotation rotation_spelled(std::string_view text) {
  constexpr std::string_view expected =
      "rotate=SIZE with SIZE 16, 32, 64 or 128, then nothing, `,fixed` or `,random:SEED`";
  const std::string part = "rotate=" + std::string(text);
  const auto parts = spelling::split(text, ',');
  rotation r{spelling::number_in<int>(parts[0], part, expected)};
  if (parts.size() > 2 || r.size == 0 || !is_rotation_size(r.size)) {
    spelling::refuse(part, expected);
  }
  if (parts.size() == 1) return r;
  std::string_view signs = parts[1];
  if (signs == "fixed") {
    r.signs = rotation_signs::fixed;
  } else if (spelling::take(signs, "random:")) {
    r.signs = rotation_signs::random;
    r.seed = spelling::number_in<std::uint64_t>(signs, part, expected);
  } else {
    spelling::refuse(part, expected);
  }
  return r;
}

std::string spelling_of(const rotation& r) {
  if (r.size == 0) return {};
  std::string text = std::to_string(r.size);
  if (r.signs == rotation_signs::fixed) text += ",fixed";
  if (r.signs == rotation_signs::random) text += ",random:" + std::to_string(r.seed);
  return text;
}

}  // namespace mx
