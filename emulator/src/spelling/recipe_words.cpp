// SPDX-License-Identifier: Apache-2.0
// emulator/src/spelling/recipe_words.cpp: recipes as words, parsed and printed.
#include "mx/recipe_words.h"

#include "mx/presets/variants.h"

namespace mx {
namespace {

using reason = recipe_error::reason;

/// Calls a parser of names; its exception becomes a recipe_error of that word.
template <class Read>
decltype(auto) read(const char* word, const Read& reader) {
  try {
    return reader();
  } catch (const std::invalid_argument& wrong) {
    throw recipe_error(reason::unknown, word, wrong.what());
  }
}

template <class Table, class T>
T named_or(const Table& table, const char* word, const char* what,
           const std::optional<std::string>& name, T otherwise) {
  if (!name) return otherwise;
  return read(word, [&] { return value_named(table, what, *name); });
}

void read_random_source(const recipe_words& words, random_source& random) {
  random.seed = words.seed.value_or(0);
  random.map = named_or(byte_map_table, "byte_map", "byte map", words.byte_map, byte_map::ptx);
}

/// A preset determines its rules, and accepts one of its formats.
void read_preset(const recipe_words& words, recipe& r) {
  const variant_entry& preset =
      read("variant", [&]() -> const variant_entry& { return variant_spelled(*words.variant); });
  const bool draws = draws_bits(preset);
  if (words.scale_rule || words.rounding || words.random_bits ||
      (!draws && (words.byte_map || words.seed))) {
    throw recipe_error(reason::unsupported, "variant",
                       *words.variant + " has its own scale rule and rounding; leave scale-rule, " +
                           (draws ? "rounding and random-bits out"
                                  : "rounding, seed, random-bits and byte-map out"));
  }
  std::optional<spelled_format> asked;
  if (words.format) asked = read("format", [&] { return format_spelled(*words.format); });
  r.preset = static_cast<int>(&preset - variant_table.data());
  r.rules.format = read("variant", [&] { return format_of_variant(preset, asked); });
  if (draws) read_random_source(words, r.rules.random);
}

void read_rules(const recipe_words& words, recipe& r) {
  const spelled_format f =
      read("format", [&] { return format_spelled(words.format.value_or("mxfp4")); });
  r.corrections = f.corrections;
  r.passes = f.passes;
  r.rules.format = f.format;
  r.rules.rule = named_or(scale_rule_table, "scale_rule", "scale rule", words.scale_rule,
                          default_rule(f.format));
  r.rules.rounding =
      named_or(rounding_table, "rounding", "rounding", words.rounding, rounding::ties_to_even);
  if (const int bits = words.random_bits.value_or(8); bits < 1 || bits > 24) {
    throw recipe_error(reason::unsupported, "random_bits", sentence_of(refusal::random_bits));
  }
  r.rules.random.bits = words.random_bits.value_or(8);
  if (words.byte_map && !uses_byte_map(r.rules.random.bits)) {
    throw recipe_error(reason::unsupported, "byte_map",
                       "a byte map orders at most 8 random bits an element, and random-bits is " +
                           std::to_string(r.rules.random.bits) +
                           "; leave the byte map out, or take at most 8 random bits");
  }
  read_random_source(words, r.rules.random);
}

void read_storage(const recipe_words& words, recipe& r) {
  code_order usual;
  if (r.has_preset()) usual.nibbles = preset_of(r).about.packing;
  r.codes = named_or(code_order_table, "packing", "packing", words.packing, usual);
  r.layout = named_or(scale_layout_table, "layout", "layout", words.layout, scale_layout::linear);
}

std::string shape_text(const tensor_axes& t) {
  std::string text;
  for (const std::uint64_t extent : t.extents) {
    text += (text.empty() ? "" : ", ") + std::to_string(extent);
  }
  return "[" + text + "]";
}

}  // namespace

recipe recipe_spelled(const recipe_words& words) {
  recipe r;
  if (words.variant) {
    read_preset(words, r);
  } else {
    read_rules(words, r);
  }
  read_storage(words, r);
  if (const recipe_refusal why = refusal_of(r); why != recipe_refusal::none) {
    throw recipe_error(reason::unsupported, "", sentence_of(r, why));
  }
  return r;
}

recipe_words words_of(const recipe& r) {
  recipe_words words;
  words.format = format_word(r);
  words.packing = std::string(name_in(code_order_table, r.codes));
  words.layout = std::string(name_in(scale_layout_table, r.layout));
  if (r.has_preset()) {
    words.variant = std::string(preset_of(r).about.name);
    if (draws_bits(preset_of(r))) {
      words.seed = r.rules.random.seed;
      words.byte_map = std::string(name_in(byte_map_table, r.rules.random.map));
    }
    return words;
  }
  words.scale_rule = std::string(name_in(scale_rule_table, r.rules.rule));
  words.rounding = std::string(name_in(rounding_table, r.rules.rounding));
  if (r.rules.rounding == rounding::stochastic) {
    words.seed = r.rules.random.seed;
    words.random_bits = r.rules.random.bits;
    if (uses_byte_map(r.rules.random.bits)) {
      words.byte_map = std::string(name_in(byte_map_table, r.rules.random.map));
    }
  }
  return words;
}

std::string format_word(const recipe& r) {
  return spelling_of(spelled_format{r.rules.format, r.corrections, r.passes});
}

const variant_entry& preset_of(const recipe& r) {
  return variant_table[static_cast<std::size_t>(r.preset)];
}

bool draws_bits(const recipe& r) {
  return r.has_preset() ? draws_bits(preset_of(r)) : r.rules.rounding == rounding::stochastic;
}

std::string sentence_of(const recipe& r, recipe_refusal why) {
  switch (why) {
    case recipe_refusal::none:
      break;
    case recipe_refusal::quantizer:
      return sentence_of(refusal_of(r.rules));
    case recipe_refusal::corrections:
      return sentence_of(refusal_of(r.rules, r.corrections));
    case recipe_refusal::tile_twice:
      return "tiles are the same along both axes, so +double has nothing to do";
    case recipe_refusal::row_of_tile:
      return "a tile has several rows, so no row has a scale of its own; use `tensor`, or blocks "
             "of one row";
    case recipe_refusal::preset_rules:
      return "a variant has its own scale rule and rounding, and takes no corrections";
    case recipe_refusal::odd_halves:
      return "a block of " + std::to_string(r.rules.format.columns) +
             " has no halves for packing split-half; use packed or unpacked";
    case recipe_refusal::dense_codes:
      return "packing dense is for codes of 6 bits, and these have " +
             std::to_string(r.rules.format.element.width()) + "; use packed or unpacked";
    case recipe_refusal::wide_layout:
      return "the layout arranges scales of one byte, and these have " +
             std::to_string(r.rules.format.scale.width()) + " bits; use linear";
    case recipe_refusal::exact_scale:
      return "an exact scale cannot be stored; decompose measures what it would change, and fp32 "
             "scales are the nearest that can";
  }
  return {};
}

std::string sentence_of(const recipe& r, const tensor_axes& t, tensor_refusal why) {
  const block_format& f = r.rules.format;
  const std::string shape = "has the shape " + shape_text(t);
  switch (why) {
    case tensor_refusal::none:
      break;
    case tensor_refusal::size:
      return shape + ", too many values to be held";
    case tensor_refusal::empty_rows:
      return shape +
             ": no element, and more rows with a tensor scale each than memory holds; leave it out";
    case tensor_refusal::tiles:
      return shape + " and blocks along axis " + std::to_string(t.axis) + "; tiles of " +
             std::to_string(f.rows) + "x" + std::to_string(f.columns) +
             " take the last two axes, columns along the last; transpose it, or leave it out";
    case tensor_refusal::two_passes:
      return shape + " and blocks along axis " + std::to_string(t.axis) +
             "; +double quantizes along both of the last two axes, so the axis is one of them";
    case tensor_refusal::corrected_length:
      return "is longer than 2^30 along its axis, which corrections do not take; split it";
    case tensor_refusal::layout_axis:
      return "layout " + *words_of(r).layout +
             " takes blocks along the last axis; transpose the tensor first, or use linear";
    case tensor_refusal::layout_size:
      return "has more scales than a layout can number";
  }
  return {};
}

}  // namespace mx
