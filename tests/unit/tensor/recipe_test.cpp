// SPDX-License-Identifier: Apache-2.0
// tests/unit/tensor/recipe_test.cpp: recipes as values and as words.
#include "mx/tensor/recipe.h"

#include "catch.h"

#include <string>

#include "mx/presets/variants.h"
#include "mx/recipe_words.h"

namespace {

using mx::recipe;
using mx::recipe_error;
using mx::recipe_refusal;
using mx::recipe_words;

recipe of_format(const char* format) {
  recipe_words words;
  words.format = format;
  return mx::recipe_spelled(words);
}

/// The reason and the word of the error for the given words.
struct complaint {
  recipe_error::reason why;
  std::string word;
  friend bool operator==(const complaint&, const complaint&) = default;
};
complaint complaint_of(const recipe_words& words) {
  try {
    static_cast<void>(mx::recipe_spelled(words));
  } catch (const recipe_error& wrong) {
    CHECK(std::string(wrong.what()).size() > 10);
    return {wrong.why(), wrong.word()};
  }
  FAIL("nothing was refused");
  return {};
}

}  // namespace

TEST_CASE("without a word a recipe is MXFP4 under floor, to nearest even, packed and linear") {
  const recipe r = mx::recipe_spelled({});
  CHECK(r == recipe{});
  CHECK(r.is_plain());
  CHECK(r.has_pairs());
  CHECK(mx::format_word(r) == "mxfp4");
  CHECK(*mx::words_of(r).scale_rule == "floor");
}

TEST_CASE("words_of gives the words of every rule, rounding, byte map, packing and layout again") {
  for (const char* format : {"mxfp4", "nvfp4", "e2m1:e8m3:16", "mxfp4+mbs=128+of=0.5+double"}) {
    for (const auto& rule : mx::scale_rule_table) {
      for (const auto& how : mx::rounding_table) {
        recipe_words words;
        words.format = format;
        words.scale_rule = std::string(rule.name);
        words.rounding = std::string(how.name);
        words.seed = 7;
        words.random_bits = 5;
        words.byte_map = "te-soft";
        recipe r;
        try {
          r = mx::recipe_spelled(words);
        } catch (const recipe_error&) {
          continue;  // incompatible rules
        }
        INFO(format << " " << rule.name << " " << how.name);
        CHECK(r.rules.rule == rule.value);
        CHECK(r.rules.rounding == how.value);
        const recipe again = mx::recipe_spelled(mx::words_of(r));
        if (how.value == mx::rounding::stochastic) {
          CHECK(again == r);
        } else {
          CHECK(again.rules.rule == r.rules.rule);
          CHECK(again.corrections == r.corrections);
          CHECK(again.passes == r.passes);
        }
      }
    }
  }
  for (const auto& order : mx::code_order_table) {
    for (const auto& layout : mx::scale_layout_table) {
      recipe_words words;
      words.packing = std::string(order.name);
      words.layout = std::string(layout.name);
      const recipe r = mx::recipe_spelled(words);
      CHECK(r.codes == order.value);
      CHECK(r.layout == layout.value);
      CHECK(mx::recipe_spelled(mx::words_of(r)) == r);
    }
  }
}

TEST_CASE("every preset is a recipe in each of its formats, packed as its kernels do") {
  for (const mx::variant_entry& entry : mx::variant_table) {
    INFO(entry.about.name);
    recipe_words words;
    words.variant = std::string(entry.about.name);
    const recipe first = mx::recipe_spelled(words);
    CHECK(mx::preset_of(first).about.name == entry.about.name);
    CHECK(first.codes.nibbles == entry.about.packing);
    CHECK(first.format() == entry.about.formats.front());
    for (const mx::block_format& f : entry.about.formats) {
      words.format = mx::spelling_of(f);
      const recipe r = mx::recipe_spelled(words);
      CHECK(r.format() == f);
      CHECK(mx::recipe_spelled(mx::words_of(r)) == r);
    }
  }
}

TEST_CASE("more than 8 random bits have no byte map, and come back") {
  recipe_words words;
  words.rounding = "stochastic";
  for (const int bits : {1, 8, 9, 16, 24}) {
    words.random_bits = bits;
    const recipe r = mx::recipe_spelled(words);
    CHECK(mx::words_of(r).byte_map.has_value() == (bits <= 8));
    CHECK(mx::recipe_spelled(mx::words_of(r)) == r);
  }
}

TEST_CASE("a preset that rounds stochastically has a seed and a map of bytes") {
  recipe_words words;
  words.variant = "te.nvfp4-stochastic";
  words.seed = 7;
  words.byte_map = "te-soft";
  const recipe r = mx::recipe_spelled(words);
  CHECK(r.rules.random.seed == 7);
  CHECK(r.rules.random.map == mx::byte_map::te_soft);
  CHECK(mx::recipe_spelled(mx::words_of(r)) == r);
}

TEST_CASE(
    "an unknown word is named with its place, words that do not go together are unsupported") {
  using enum recipe_error::reason;
  recipe_words words;
  const auto with = [](auto member, const char* text) {
    recipe_words w;
    w.*member = text;
    return w;
  };
  CHECK(complaint_of(with(&recipe_words::format, "mxfp5")) == complaint{unknown, "format"});
  CHECK(complaint_of(with(&recipe_words::scale_rule, "foor")) == complaint{unknown, "scale_rule"});
  CHECK(complaint_of(with(&recipe_words::rounding, "up")) == complaint{unknown, "rounding"});
  CHECK(complaint_of(with(&recipe_words::byte_map, "x")) == complaint{unknown, "byte_map"});
  CHECK(complaint_of(with(&recipe_words::variant, "x")) == complaint{unknown, "variant"});
  CHECK(complaint_of(with(&recipe_words::packing, "x")) == complaint{unknown, "packing"});
  CHECK(complaint_of(with(&recipe_words::layout, "x")) == complaint{unknown, "layout"});
  words.random_bits = 0;
  CHECK(complaint_of(words) == complaint{unsupported, "random_bits"});
  words = with(&recipe_words::byte_map, "ptx");
  words.rounding = "stochastic";
  words.random_bits = 9;
  CHECK(complaint_of(words) == complaint{unsupported, "byte_map"});
  words.random_bits = 8;
  CHECK(mx::recipe_spelled(words).rules.random.map == mx::byte_map::ptx);
  words = with(&recipe_words::variant, "torchao.rceil");
  words.seed = 1;
  CHECK(complaint_of(words) == complaint{unsupported, "variant"});
  words = with(&recipe_words::variant, "torchao.rceil");
  words.format = "nvfp4";
  CHECK(complaint_of(words) == complaint{unknown, "variant"});
  words = with(&recipe_words::variant, "te.nvfp4-stochastic");
  words.random_bits = 8;
  CHECK(complaint_of(words) == complaint{unsupported, "variant"});
  words = with(&recipe_words::scale_rule, "static-4");
  words.format = "mxfp8-e4m3";
  CHECK(complaint_of(words) == complaint{unsupported, ""});
}

TEST_CASE("each refusal has a recipe that it refuses, and a sentence") {
  recipe r = of_format("mxfp4");
  r.rules.format.columns = 0;
  CHECK(refusal_of(r) == recipe_refusal::quantizer);
  CHECK(!sentence_of(r, recipe_refusal::quantizer).empty());
  r = of_format("mxfp4");
  r.corrections.macro_block = 33;
  CHECK(refusal_of(r) == recipe_refusal::corrections);
  CHECK(!sentence_of(r, recipe_refusal::corrections).empty());
  r = of_format("nvfp4-2d");
  r.passes = mx::passes::twice;
  CHECK(refusal_of(r) == recipe_refusal::tile_twice);
  r = of_format("mxfp4");
  r.preset = 0;
  r.rules.rule = mx::scale_rule::ceil;
  CHECK(refusal_of(r) == recipe_refusal::preset_rules);
  r = of_format("mxfp4");
  r.codes.sixes = mx::six_bit_order::dense;
  CHECK(storage_refusal_of(r) == recipe_refusal::dense_codes);
  CHECK(sentence_of(r, recipe_refusal::dense_codes).find("these have 4") != std::string::npos);
  r.rules.format = mx::block_formats::mxfp6_e3m2;
  CHECK(storage_refusal_of(r) == recipe_refusal::none);
  r = of_format("e2m1:e8m0:5");
  r.codes.nibbles = mx::nibble_order::split_half;
  CHECK(storage_refusal_of(r) == recipe_refusal::odd_halves);
  r = of_format("fp8-1x128");
  r.layout = mx::scale_layout::blocked_128x4;
  CHECK(storage_refusal_of(r) == recipe_refusal::wide_layout);
  r = of_format("e2m1:exact:32");
  CHECK(refusal_of(r) == recipe_refusal::none);
  CHECK(storage_refusal_of(r) == recipe_refusal::exact_scale);
  r = of_format("nvfp4-2d");
  r.rules.format.tensor = mx::tensor_scaling::per_row;
  CHECK(refusal_of(r) == recipe_refusal::row_of_tile);
  for (int k = 1; k <= static_cast<int>(recipe_refusal::exact_scale); ++k) {
    const auto why = static_cast<recipe_refusal>(k);
    const bool nested = why == recipe_refusal::quantizer || why == recipe_refusal::corrections;
    if (!nested) CHECK(!sentence_of(r, why).empty());
  }
}
