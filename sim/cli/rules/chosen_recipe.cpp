// SPDX-License-Identifier: Apache-2.0
// sim/cli/rules/chosen_recipe.cpp: the recipe that the options of a command name.
#include "sim/cli/rules/chosen_recipe.h"

#include <fmt/format.h>

#include <algorithm>

#include "mx/bulk_variants.h"
#include "sim/cli/rules/format_file.h"

namespace sim::cli {
namespace {

template <class T>
void fill(std::optional<T>& asked, const std::optional<T>& otherwise) {
  if (!asked) asked = otherwise;
}

/// The options with the words of their file in place of what is absent.
mx::recipe_words with_file(const mx::recipe_words& options) {
  if (!options.format || !options.format->starts_with('@')) return options;
  mx::recipe_words result = options;
  const mx::recipe_words file = format_file(options.format->substr(1));
  result.format = file.format;
  fill(result.scale_rule, file.scale_rule);
  fill(result.rounding, file.rounding);
  fill(result.byte_map, file.byte_map);
  fill(result.seed, file.seed);
  fill(result.random_bits, file.random_bits);
  return result;
}

/// scale_rule becomes --scale-rule.
std::string option_of(std::string word) {
  std::replace(word.begin(), word.end(), '_', '-');
  return "--" + word;
}

}  // namespace

mx::recipe recipe_of(const mx::recipe_words& options) {
  try {
    return mx::recipe_spelled(with_file(options));
  } catch (const mx::recipe_error& wrong) {
    if (wrong.word().empty()) throw usage_error(wrong.what());
    throw usage_error(fmt::format("{}: {}", option_of(wrong.word()), wrong.what()));
  }
}

std::string scale_rule_name(const mx::recipe& r) {
  return mx::words_of(r).scale_rule.value_or("variant");
}

std::string rounding_name(const mx::recipe& r) {
  return mx::words_of(r).rounding.value_or("variant");
}

void expect_quantizer(const mx::recipe& r) {
  if (!r.has_preset() || mx::is_quantizer(mx::preset_of(r))) return;
  throw usage_error(fmt::format(
      "--variant {} {}; quantize takes presets that choose scales, such as "
      "torchao.rceil",
      mx::preset_of(r).about.name,
      mx::is_decoder(mx::preset_of(r)) ? "only decodes"
                                       : "converts single elements and chooses no scale"));
}

void expect_decoder(const mx::recipe& r) {
  if (!r.has_preset() || mx::is_decoder(mx::preset_of(r))) return;
  throw usage_error(fmt::format("--variant {} converts single elements and decodes nothing",
                                mx::preset_of(r).about.name));
}

void expect_storable(const mx::recipe& r) {
  const mx::recipe_refusal why = mx::storage_refusal_of(r);
  if (why == mx::recipe_refusal::none) return;
  const mx::recipe_words words = mx::words_of(r);
  throw usage_error(fmt::format("--format {} --packing {} --layout {}: {}", *words.format,
                                *words.packing, *words.layout, mx::sentence_of(r, why)));
}

}  // namespace sim::cli
