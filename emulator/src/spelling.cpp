// SPDX-License-Identifier: Apache-2.0
// emulator/src/spelling.cpp: formats and corrections as words, read and written.
#include "mx/spelling.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <stdexcept>

#include "mx/names.h"

namespace mx {
namespace {

[[noreturn]] void refuse(std::string_view part, std::string_view expected) {
  throw std::invalid_argument("`" + std::string(part) + "`: expected " + std::string(expected));
}

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(at);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

template <class T>
bool read_number(std::string_view text, T& number) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return !text.empty() && error == std::errc() && stop == end;
}

template <class T>
T number_in(std::string_view text, std::string_view part, std::string_view expected) {
  T number{};
  if (!read_number(text, number)) refuse(part, expected);
  return number;
}

// Cuts a number off the front of the text.
bool take_number(std::string_view& text, int& number) {
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  return true;
}

bool take(std::string_view& text, std::string_view word) {
  if (text.substr(0, word.size()) != word) return false;
  text.remove_prefix(word.size());
  return true;
}

bool is_element(const format& f) {
  const bool has_inf = f.specials == specials::ieee;
  return f.exponent_bits >= 1 && f.fraction_bits >= 0 && f.width() <= 8 && f.width() >= 3 &&
         f.exponent_bits <= 6 && f.bias >= -32 && f.bias <= 64 &&
         (!has_inf || (f.exponent_bits >= 2 && f.fraction_bits >= 1));
}

specials specials_spelled(std::string_view suffix, std::string_view part) {
  if (suffix.empty()) return specials::none;
  if (suffix == "fn") return specials::top_code;
  if (suffix == "ieee") return specials::ieee;
  if (suffix == "fnuz") return specials::fnuz;
  refuse(part, "nothing, fn, ieee or fnuz at its end");
}

constexpr std::string_view element_grammar =
    "an element format such as e2m1, e3m1, e3m1@4, e3m3fn or int6, of 3 to 8 bits";

format integer_spelled(std::string_view text) {
  std::string_view rest = text.substr(3);
  int width = 0;
  if (!take_number(rest, width) || !rest.empty() || width < 3 || width > 8) {
    refuse(text, element_grammar);
  }
  return {1, width - 2, 1, specials::none, signedness::with_sign, coding::twos_complement};
}

// eXmY with the usual bias, or another behind an @.
format element_of_bits(std::string_view text) {
  std::string_view rest = text;
  format f{0, 0, 0};
  if (!take(rest, "e") || !take_number(rest, f.exponent_bits) || !take(rest, "m") ||
      !take_number(rest, f.fraction_bits) || f.exponent_bits < 1 || f.exponent_bits > 6) {
    refuse(text, element_grammar);
  }
  f.bias = (1 << (f.exponent_bits - 1)) - 1;
  if (take(rest, "@") && !take_number(rest, f.bias)) refuse(text, element_grammar);
  f.specials = specials_spelled(rest, text);
  if (!is_element(f)) refuse(text, element_grammar);
  return f;
}

format element_spelled(std::string_view text) {
  for (const auto& entry : element_format_table) {
    if (entry.name == text) return entry.value;
  }
  return text.substr(0, 3) == "int" ? integer_spelled(text) : element_of_bits(text);
}

void read_scale(std::string_view text, block_format& f) {
  for (const scale_name& entry : scale_format_table) {
    if (entry.name != text) continue;
    f.scale = entry.value;
    f.precision = entry.precision;
    return;
  }
  std::string_view rest = text;
  int k = 0;
  if (!take(rest, "e8m") || !take_number(rest, k) || !rest.empty() || k < 0 || k > 16) {
    refuse(text, "a scale format: e8m0 to e8m16, ue4m3, ue5m3, fp32 or exact");
  }
  f.scale = formats::e8m(k);
}

void read_block(std::string_view text, block_format& f) {
  constexpr std::string_view expected = "a block such as 32, 1x32 or 16x16";
  const auto sides = split(text, 'x');
  if (sides.size() > 2) refuse(text, expected);
  f.columns = number_in<int>(sides.back(), text, expected);
  f.rows = sides.size() == 2 ? number_in<int>(sides.front(), text, expected) : 1;
}

void read_tensor(std::string_view text, block_format& f) {
  std::string_view rest = text;
  if (take(rest, "tensor")) {
    f.tensor = tensor_scaling::per_tensor;
  } else if (take(rest, "row")) {
    f.tensor = tensor_scaling::per_row;
  }
  if (f.has_tensor_scale() && rest == "256") f.bound = tensor_bound::of_256;
  if (!f.has_tensor_scale() || !(rest.empty() || rest == "256")) {
    refuse(text, "tensor, row, tensor256 or row256");
  }
}

block_format block_format_spelled(std::string_view text) {
  for (const auto& entry : block_format_table) {
    if (entry.name == text) return entry.value;
  }
  const auto parts = split(text, ':');
  if (parts.size() == 1) throw_unknown("format", text, names_of_table(block_format_table));
  if (parts.size() < 3 || parts.size() > 4) {
    refuse(text, "ELEMENT:SCALE:BLOCK or ELEMENT:SCALE:BLOCK:TENSOR, such as e2m1:ue4m3:16:tensor");
  }
  block_format f;
  f.element = element_spelled(parts[0]);
  read_scale(parts[1], f);
  read_block(parts[2], f);
  if (parts.size() == 4) read_tensor(parts[3], f);
  return f;
}

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

void read_rotation(std::string_view text, std::string_view part, corrections& c) {
  constexpr std::string_view expected =
      "rotate=SIZE with SIZE 16, 32, 64 or 128, then nothing, `,fixed` or `,random:SEED`";
  const auto parts = split(text, ',');
  c.rotation.size = number_in<int>(parts[0], part, expected);
  if (parts.size() > 2 || c.rotation.size == 0 || !is_rotation_size(c.rotation.size)) {
    refuse(part, expected);
  }
  if (parts.size() == 1) return;
  std::string_view signs = parts[1];
  if (signs == "fixed") {
    c.rotation.signs = rotation_signs::fixed;
  } else if (take(signs, "random:")) {
    c.rotation.signs = rotation_signs::random;
    c.rotation.seed = number_in<std::uint64_t>(signs, part, expected);
  } else {
    refuse(part, expected);
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

void read_correction(std::string_view part, spelled_format& result) {
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
    read_rotation(rest, part, result.corrections);
  } else {
    refuse_correction(part);
  }
}

std::string shortest(float number) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, number).ptr};
}

std::string block_spelling(const block_format& f) {
  return (f.rows > 1 ? std::to_string(f.rows) + "x" : "") + std::to_string(f.columns);
}

std::string scale_spelling(const block_format& f) {
  for (const scale_name& entry : scale_format_table) {
    if (entry.value == f.scale && entry.precision == f.precision) return std::string(entry.name);
  }
  return "e8m" + std::to_string(f.scale.fraction_bits);
}

std::string tensor_spelling(const block_format& f) {
  if (!f.has_tensor_scale()) return {};
  const std::string word = f.tensor == tensor_scaling::per_tensor ? ":tensor" : ":row";
  return word + (f.bound == tensor_bound::of_256 ? "256" : "");
}

std::string rotation_spelling(const rotation& r) {
  if (r.size == 0) return {};
  std::string text = "+rotate=" + std::to_string(r.size);
  if (r.signs == rotation_signs::fixed) text += ",fixed";
  if (r.signs == rotation_signs::random) text += ",random:" + std::to_string(r.seed);
  return text;
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

// Fewest insertions, deletions and replacements that make one text of the other.
std::size_t typing_errors(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, replaced});
    }
  }
  return row.back();
}

}  // namespace

spelled_format format_spelled(std::string_view text) {
  const auto parts = split(text, '+');
  spelled_format result{block_format_spelled(parts.front())};
  for (std::size_t i = 1; i < parts.size(); ++i) read_correction(parts[i], result);
  return result;
}

std::string spelling_of(const format& element) {
  const std::string_view known = name_in(element_format_table, element);
  if (!known.empty()) return std::string(known);
  if (element.coding == coding::twos_complement) return "int" + std::to_string(element.width());
  std::string text =
      "e" + std::to_string(element.exponent_bits) + "m" + std::to_string(element.fraction_bits);
  // The usual bias goes unsaid, unless the bare text is the name of another format.
  format usual = element;
  usual.bias = (1 << (element.exponent_bits - 1)) - 1;
  const bool taken = element.specials == specials::none &&
                     std::any_of(element_format_table.begin(), element_format_table.end(),
                                 [&](const auto& entry) { return entry.name == text; });
  if (!(usual == element) || taken) text += "@" + std::to_string(element.bias);
  if (element.specials == specials::top_code) text += "fn";
  if (element.specials == specials::ieee) text += "ieee";
  if (element.specials == specials::fnuz) text += "fnuz";
  return text;
}

std::string spelling_of(const block_format& f) {
  const std::string_view known = name_in(block_format_table, f);
  if (!known.empty()) return std::string(known);
  return spelling_of(f.element) + ":" + scale_spelling(f) + ":" + block_spelling(f) +
         tensor_spelling(f);
}

std::string spelling_of(const spelled_format& f) {
  const corrections& c = f.corrections;
  std::string text = spelling_of(f.format);
  if (f.passes == passes::twice) text += "+double";
  text += rotation_spelling(c.rotation);
  if (c.gain == pre_gain::three_quarters) text += "+gain=3/4";
  if (c.gain == pre_gain::sixteen_seventeenths) text += "+gain=16/17";
  if (c.macro_block > 0) {
    text += "+mbs=" + std::to_string(c.macro_block) + "," + std::to_string(c.macro_bits);
  }
  return text + fallback_spelling(c);
}

std::string_view nearest_name(std::string_view asked, const std::vector<std::string_view>& names) {
  std::string_view best;
  std::size_t fewest = asked.size() / 2 + 1;
  for (const std::string_view name : names) {
    const bool begun = asked.size() > 2 && name.substr(0, asked.size()) == asked;
    const std::size_t errors = begun ? 0 : typing_errors(asked, name);
    if (errors < fewest) {
      fewest = errors;
      best = name;
    }
  }
  return best;
}

std::string unknown_name(std::string_view what, std::string_view asked,
                         const std::vector<std::string_view>& names) {
  std::string text = "there is no " + std::string(what) + " `" + std::string(asked) + "`";
  const std::string_view nearest = nearest_name(asked, names);
  if (!nearest.empty()) text += "; did you mean `" + std::string(nearest) + "`?";
  text += nearest.empty() ? "; there are:" : " There are:";
  for (const std::string_view name : names) text += " " + std::string(name);
  return text;
}

void throw_unknown(std::string_view what, std::string_view asked,
                   const std::vector<std::string_view>& names) {
  throw std::invalid_argument(unknown_name(what, asked, names));
}

std::string sentence_of(refusal why) {
  switch (why) {
    case refusal::none:
      break;
    case refusal::shape:
      return "a block has 1 to 1048576 elements and at most 1024 rows";
    case refusal::element:
      return "elements have at most 8 bits, and a zero";
    case refusal::random_bits:
      return "stochastic rounding takes 1 to 24 random bits an element";
    case refusal::needs_e2m1:
      return "static-4 and 4over6 map the largest element to 4: they need elements in e2m1";
    case refusal::needs_fractions:
      return "4over6 needs a scale with fraction bits, such as ue4m3";
    case refusal::quest:
      return "quest takes blocks of at most 256 elements, and no tensor scale";
    case refusal::exact_rule:
      return "an exact scale goes with the scale rule ideal, and without a tensor scale";
    case refusal::tensor_scale:
      return "beside a tensor scale a scale has at most 8 fraction bits";
  }
  return {};
}

std::string sentence_of(correction_refusal why) {
  switch (why) {
    case correction_refusal::none:
      break;
    case correction_refusal::tile:
      return "corrections work along an axis: the block has one row";
    case correction_refusal::rotation:
      return "a rotation has the size 16, 32, 64 or 128";
    case correction_refusal::macro_block:
      return "a macro block is a multiple of the block, at most 65536, its factor has 1 to 16 bits";
    case correction_refusal::macro_rule:
      return "under a macro-block factor the scale is stored, follows from amax alone (not mse, "
             "quest, 4over6) and has no tensor scale above it";
    case correction_refusal::granule:
      return "what falls back together is a multiple of the block, at most 65536";
    case correction_refusal::number:
      return "alpha is a finite number, a threshold a finite one that is not negative";
  }
  return {};
}

}  // namespace mx
