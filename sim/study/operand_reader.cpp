// SPDX-License-Identifier: Apache-2.0
// sim/study/operand_reader.cpp: reads a table of [formats].
#include <fmt/format.h>

#include <initializer_list>
#include <optional>

#include "mx/recipe_words.h"
#include "sim/study/arm_reader.h"
#include "sim/study/operand_words.h"

namespace sim {
namespace {

constexpr whole macro_blocks{32, 1 << 16, 32};
constexpr whole macro_bits{1, 16};
constexpr whole random_bits{1, 24};
constexpr real alphas{"a number above 0, at most 1", [](double v) { return v > 0 && v <= 1; }};

/// Refuses keys that have no effect beside the others.
void refuse_keys(table_reader& at, std::initializer_list<std::string_view> keys,
                 std::string_view reason) {
  for (const std::string_view key : keys) {
    const toml::node* node = at.find(key);
    if (node != nullptr) at.fail(key, *node, fmt::format("no such key {}", reason));
  }
}

std::optional<std::string> word_at(table_reader& at, std::string_view key) {
  const toml::node* node = at.find(key);
  if (node == nullptr) return {};
  return at.text(key, *node);
}

/// The recipe of the words, its codes in the usual order: how they are stored has no effect.
///   key  blamed where several words are at fault
mx::recipe recipe_of(const table_reader& at, const mx::recipe_words& words, std::string_view key) {
  try {
    mx::recipe result = mx::recipe_spelled(words);
    result.codes = {};
    return result;
  } catch (const mx::recipe_error& wrong) {
    const bool single = !wrong.word().empty() && wrong.word() != "format";
    at.refuse(single ? std::string_view(wrong.word()) : key, wrong.what());
  }
}

void read_toggle(table_reader& at, mx::operand& f) {
  at.word("toggle", f.toggle, toggle_words);
  if (f.toggle == mx::toggle::none) return refuse_keys(at, {"parts"}, "without toggle");
  const toml::node* node = at.find("parts");
  if (node == nullptr) return;
  f.parts = mx::component::none;
  at.each_word("parts", *node, "components", part_words,
               [&](mx::component part) { f.parts = f.parts | part; });
}

void read_corrections(table_reader& at, mx::corrections& c) {
  at.value("macro_block", c.macro_block, macro_blocks);
  if (c.macro_block == 0) refuse_keys(at, {"macro_bits"}, "without macro_block");
  at.value("macro_bits", c.macro_bits, macro_bits);
  if (at.find("fallback_alpha") == nullptr) return;
  c.fallback = mx::fallback_mode::all;
  at.value("fallback_alpha", c.alpha, alphas);
}

void read_mxfp4(table_reader& at, mx::operand& f) {
  mx::recipe_words words;
  words.format = "mxfp4";
  words.scale_rule = word_at(at, "scale_rule").value_or("rceil");
  f.recipe = recipe_of(at, words, "scale_rule");
  read_toggle(at, f);
  if (f.toggle != mx::toggle::none) {
    return refuse_keys(at, {"macro_block", "macro_bits", "fallback_alpha"},
                       "beside toggle: a toggled quantizer has no corrections");
  }
  read_corrections(at, f.recipe.corrections);
  const mx::recipe_refusal why = mx::refusal_of(f.recipe);
  if (why != mx::recipe_refusal::none) at.refuse("scale_rule", mx::sentence_of(f.recipe, why));
}

mx::operand read_numbers(table_reader& at) {
  mx::operand f;
  at.word("numbers", f.numbers, number_words);
  refuse_keys(at, {"recipe", "variant", "rounding", "random_bits", "byte_map"},
              "beside numbers; use recipe or variant alone");
  if (f.is_coded()) {
    read_mxfp4(at, f);
  } else {
    refuse_keys(at,
                {"scale_rule", "toggle", "parts", "macro_block", "macro_bits", "fallback_alpha"},
                "but with numbers = \"mxfp4\"");
  }
  return f;
}

mx::operand read_recipe(table_reader& at) {
  refuse_keys(at, {"macro_block", "macro_bits", "fallback_alpha"},
              "beside recipe, which spells corrections, as in \"mxfp4+mbs=128,8+of=0.5\"");
  mx::recipe_words words;
  words.format = word_at(at, "recipe");
  words.variant = word_at(at, "variant");
  words.scale_rule = word_at(at, "scale_rule");
  words.rounding = word_at(at, "rounding");
  words.byte_map = word_at(at, "byte_map");
  if (words.rounding != "stochastic") {
    const char* why = "without rounding = \"stochastic\"";
    refuse_keys(at, {"random_bits"}, why);
    if (!words.variant) refuse_keys(at, {"byte_map"}, why);
  }
  if (int bits = 0; at.find("random_bits") != nullptr) {
    at.value("random_bits", bits, random_bits);
    words.random_bits = bits;
  }
  // Texts of studies name the default map also where it has no say.
  const mx::random_source usual{};
  const bool orders = mx::uses_byte_map(words.random_bits.value_or(usual.bits));
  if (!orders && words.byte_map == mx::name_in(mx::byte_map_table, usual.map)) {
    words.byte_map.reset();
  }
  mx::operand f{mx::operand_numbers::coded};
  f.recipe = recipe_of(at, words, words.format ? "recipe" : "variant");
  read_toggle(at, f);
  return f;
}

void expect_operand(const table_reader& at, const mx::operand& f) {
  const mx::operand_refusal why = mx::refusal_of(f);
  if (why == mx::operand_refusal::none) return;
  at.refuse(why == mx::operand_refusal::toggled  ? "toggle"
            : why == mx::operand_refusal::preset ? "variant"
                                                 : "recipe",
            sentence_of(f, why));
}

}  // namespace

mx::operand read_operand(table_reader& at) {
  const bool spelled = at.find("recipe") != nullptr || at.find("variant") != nullptr;
  const bool counted = at.find("numbers") != nullptr;
  const mx::operand f = spelled && !counted ? read_recipe(at) : read_numbers(at);
  at.finish();
  expect_operand(at, f);
  return f;
}

}  // namespace sim
