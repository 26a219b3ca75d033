// SPDX-License-Identifier: Apache-2.0
// sim/cli/rules/chosen_recipe.cpp: the recipe that the options of a command name.
#include "sim/cli/rules/chosen_recipe.h"

#include <fmt/format.h>

#include <algorithm>

#include "mx/presets/bulk_variants.h"
#include "sim/cli/rules/format_file.h"

namespace sim::cli {
namespace {

template <class T>
void fill(std::optional<T>& value, const std::optional<T>& otherwise) {
  if (!value) value = otherwise;
}

bool names_file(const mx::recipe_words& options) {
  return options.format && options.format->starts_with('@');
}

bool is_typed(const mx::recipe_words& options, const std::string& word) {
  return (word == "scale_rule" && options.scale_rule) || (word == "rounding" && options.rounding) ||
         (word == "byte_map" && options.byte_map) ||
         (word == "random_bits" && options.random_bits) || word == "variant" || word == "packing" ||
         word == "layout";
}

/// "--format X --scale-rule Y: ", as far as they are given.
std::string options_of(const mx::recipe_words& words) {
  std::string text = "--format " + words.format.value_or("mxfp4");
  if (words.scale_rule) text += " --scale-rule " + *words.scale_rule;
  if (words.rounding) text += " --rounding " + *words.rounding;
  return text + ": ";
}

/// Where a word stands: in an option, or at a key of the format's file.
std::string place_of(const mx::recipe_words& options, std::string word) {
  const std::string file = names_file(options) ? options.format->substr(1) + ": " : "";
  if (word.empty()) return file + options_of(with_file(options));
  if (word == "format" && !file.empty()) return file + "the format: ";
  if (!file.empty() && !is_typed(options, word)) return fmt::format("{}key '{}': ", file, word);
  std::replace(word.begin(), word.end(), '_', '-');
  return fmt::format("{}--{}: ", word == "variant" ? file : "", word);
}

}  // namespace

mx::recipe_words with_file(const mx::recipe_words& options) {
  if (!names_file(options)) return options;
  mx::recipe_words result = options;
  const mx::recipe_words file = format_file(options.format->substr(1));
  result.format = file.format;
  fill(result.scale_rule, file.scale_rule);
  fill(result.rounding, file.rounding);
  // An option may ask for more bits than the file's map orders.
  if (mx::uses_byte_map(options.random_bits.value_or(8))) fill(result.byte_map, file.byte_map);
  fill(result.seed, file.seed);
  fill(result.random_bits, file.random_bits);
  return result;
}

mx::recipe recipe_of(const mx::recipe_words& options) {
  try {
    return mx::recipe_spelled(with_file(options));
  } catch (const mx::recipe_error& wrong) {
    throw usage_error(place_of(options, wrong.word()) + wrong.what());
  }
}

std::string option_of(const mx::recipe& r) {
  if (r.has_preset()) return fmt::format("--variant {}", mx::preset_of(r).about.name);
  return "--format " + mx::format_word(r);
}

std::string scale_rule_name(const mx::recipe& r) {
  return mx::words_of(r).scale_rule.value_or("variant");
}

std::string rounding_name(const mx::recipe& r) {
  return mx::words_of(r).rounding.value_or("variant");
}

void expect_quantizer(const mx::recipe& r) {
  if (!r.has_preset() || mx::is_quantizer(mx::preset_of(r))) return;
  throw usage_error(
      "--variant {} {}; quantize takes presets that choose scales, such as torchao.rceil",
      mx::preset_of(r).about.name,
      mx::is_decoder(mx::preset_of(r)) ? "only decodes"
                                       : "converts single elements and chooses no scale");
}

void expect_decoder(const mx::recipe& r) {
  if (!r.has_preset() || mx::is_decoder(mx::preset_of(r))) return;
  throw usage_error("--variant {} converts single elements and decodes nothing",
                    mx::preset_of(r).about.name);
}

void expect_storable(const mx::recipe& r) {
  const mx::recipe_refusal why = mx::storage_refusal_of(r);
  if (why == mx::recipe_refusal::none) return;
  const mx::recipe_words words = mx::words_of(r);
  throw usage_error("--format {} --packing {} --layout {}: {}", *words.format, *words.packing,
                    *words.layout, mx::sentence_of(r, why));
}

}  // namespace sim::cli
