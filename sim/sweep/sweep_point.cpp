// SPDX-License-Identifier: Apache-2.0
// sim/sweep/sweep_point.cpp: see sweep_point.h.
#include "sim/sweep/sweep_point.h"

#include <algorithm>

#include "mx/recipe_words.h"
#include "sim/study/input_error.h"
#include "sim/study/number_in.h"
#include "sim/study/operand_words.h"
#include "sim/study/sha256.h"
#include "sim/study/stored_bits.h"
#include "sim/sweep/axis_reader.h"
#include "sim/sweep/sum_fields.h"

namespace sim {
namespace {

std::optional<std::string> text_at(const point_words& words, std::string_view name) {
  const std::string* word = word_at(words, name);
  return word == nullptr ? std::nullopt : std::optional(*word);
}

std::uint64_t count_at(const point_words& words, std::string_view name) {
  const auto number = number_in<double>(*word_at(words, name));
  if (number && *number >= 0 && *number < 0x1p53 &&
      *number == static_cast<double>(static_cast<std::uint64_t>(*number))) {
    return static_cast<std::uint64_t>(*number);
  }
  throw input_error("{}: expected an integer from 0, found '{}'", name, *word_at(words, name));
}

/// Whether a correction without a number is on.
bool is_on(const point_words& words, std::string_view name) {
  const std::string value = text_at(words, name).value_or("false");
  if (value == "true") return true;
  if (value == "false" || value == "none") return false;
  throw input_error("{}: expected true or false, found '{}'", name, value);
}

/// The word of a format: whole, or of its parts; then the corrections that are axes.
std::optional<std::string> format_of(const point_words& words) {
  const bool in_parts = word_at(words, "element") != nullptr ||
                        word_at(words, "scale") != nullptr || word_at(words, "block") != nullptr ||
                        word_at(words, "tensor") != nullptr;
  std::optional<std::string> format = text_at(words, "format");
  if (in_parts && format) {
    throw input_error("format and its parts (element, scale, block, tensor) exclude each other");
  }
  if (in_parts) {
    format = text_at(words, "element").value_or("e2m1") + ":" +
             text_at(words, "scale").value_or("e8m0") + ":" +
             text_at(words, "block").value_or("32");
    const std::string tensor = text_at(words, "tensor").value_or("none");
    if (tensor != "none") *format += ":" + tensor;
  }
  for (const char* name : {"mbs", "of", "gain", "rotate"}) {
    const std::string value = text_at(words, name).value_or("none");
    if (value == "none") continue;
    format = format.value_or("mxfp4") + "+" + name + "=" + value;
  }
  if (is_on(words, "double")) format = format.value_or("mxfp4") + "+double";
  return format;
}

mx::recipe recipe_at(const point_words& words) {
  mx::recipe_words recipe;
  recipe.format = format_of(words);
  recipe.variant = text_at(words, "variant");
  if (recipe.variant == "none") recipe.variant.reset();
  recipe.scale_rule = text_at(words, "scale_rule");
  recipe.rounding = text_at(words, "rounding");
  recipe.byte_map = text_at(words, "byte_map");
  if (word_at(words, "random_bits") != nullptr) {
    recipe.random_bits =
        static_cast<int>(std::min<std::uint64_t>(count_at(words, "random_bits"), 64));
  }
  if (word_at(words, "random_seed") != nullptr) recipe.seed = count_at(words, "random_seed");
  return mx::recipe_spelled(recipe);
}

mx::operand operand_at(const point_words& words) {
  mx::operand f{.numbers = mx::operand_numbers::coded, .recipe = recipe_at(words)};
  const mx::operand_refusal why = mx::refusal_of(f);
  if (why == mx::operand_refusal::none) return f;
  throw input_error("{}", sentence_of(f, why));
}

/// Refuses blocks that a model's products cannot read.
void expect_readable(const mx::named_model& model, const mx::recipe& r) {
  const mx::block_format& f = r.format();
  if (f.rows > 1 || f.precision == mx::scale_precision::exact || r.is_corrected() ||
      f.scale.width() > 8 || r.passes == mx::passes::twice) {
    throw input_error(
        "a product reads rows of codes under scales of one byte, uncorrected; {} has others",
        mx::format_word(r));
  }
  if (f.tensor == mx::tensor_scaling::per_row) {
    throw input_error("a product has one tensor scale for each operand; {} has one for each row",
                      mx::format_word(r));
  }
  if (model.operands == mx::operands::any) return;
  const mx::dot_model& m = model.model;
  if (f.element == m.a && f.scale == m.scale && f.columns == m.block) return;
  throw input_error("the model {} reads {}, not {}", model.name,
                    m.block == 0 ? mx::number_format_name(m.a) + " without scales"
                                 : fmt::format("{}:{}:{}", mx::number_format_name(m.a),
                                               mx::scale_format_name(m.scale), m.block),
                    mx::format_word(r));
}

bool is_sum_field(std::string_view field) {
  return std::ranges::find(recipe_axes, field) == recipe_axes.end();
}

/// The product of a model as it is, without further fields.
mx::gemm_plan own_plan_of(const mx::named_model& model, const mx::recipe& r) {
  const mx::block_format& f = r.format();
  mx::gemm_plan plan{.model = mx::model_for(model, {f.element, f.element, f.scale, f.columns})};
  plan.output = plan.model.sum.result;
  return plan;
}

std::optional<mx::gemm_plan> plan_at(const point_words& words, const mx::recipe& r) {
  const std::string* name = word_at(words, "model");
  if (name == nullptr || *name == "none") {
    for (const std::string_view field : sum_field_names()) {
      if (word_at(words, field) != nullptr) throw input_error("{} needs a model", field);
    }
    return {};
  }
  const mx::named_model& model = mx::model_spelled(*name);
  expect_readable(model, r);
  mx::gemm_plan plan = own_plan_of(model, r);
  for (const auto& [field, value] : words) {
    if (!is_sum_field(field)) continue;
    try {
      set_sum_field(plan, field, value);
    } catch (const input_error& wrong) {
      throw input_error("{}: {}", field, wrong.what());
    }
  }
  if (const mx::model_refusal why = mx::refusal_of(plan.model); why != mx::model_refusal::none) {
    throw input_error("{}: {}", *name, mx::sentence_of(why));
  }
  if (const mx::gemm_refusal why = mx::refusal_of(plan); why != mx::gemm_refusal::none) {
    throw input_error("{}: {}", *name, mx::sentence_of(why, plan));
  }
  return plan;
}

/// Of stochastic rounding, what is not the default: the same name is the same quantizer.
std::string random_words(const mx::recipe_words& spelled) {
  const mx::random_source usual{};
  std::string words;
  if (spelled.byte_map && *spelled.byte_map != mx::name_in(mx::byte_map_table, usual.map)) {
    words += " byte_map=" + *spelled.byte_map;
  }
  if (spelled.random_bits && *spelled.random_bits != usual.bits) {
    words += fmt::format(" random_bits={}", *spelled.random_bits);
  }
  if (spelled.seed && *spelled.seed != usual.seed) {
    words += fmt::format(" random_seed={}", *spelled.seed);
  }
  return words;
}

/// Of a product, the model and what differs from it: the same name is the same arithmetic.
std::string product_words(const sweep_point& p) {
  if (!p.plan) return "";
  const std::string& model = *word_at(p.words, "model");
  const mx::gemm_plan own = own_plan_of(mx::model_spelled(model), p.recipe());
  std::string words = " " + model;
  for (const std::string_view field : sum_field_names()) {
    const std::string word = sum_field_word(*p.plan, field);
    if (word != sum_field_word(own, field)) words += fmt::format(" {}={}", field, word);
  }
  return words;
}

/// Format, rule and rounding; then what the point adds by name.
std::string name_at(const sweep_point& p) {
  const mx::recipe_words spelled = mx::words_of(p.recipe());
  std::string name = mx::format_word(p.recipe());
  if (spelled.variant) name = *spelled.variant + " " + name;
  if (spelled.scale_rule) name += " " + *spelled.scale_rule;
  if (spelled.rounding && *spelled.rounding != "nearest-even") name += " " + *spelled.rounding;
  return name + random_words(spelled) + product_words(p);
}

/// The word of a correction, as the axis has it: what follows +NAME= in the format's word.
std::string correction_word(const mx::recipe& r, std::string_view name) {
  const std::string format = mx::format_word(r);
  const bool is_switch = name == "double";
  const std::string mark = fmt::format("+{}{}", name, is_switch ? "" : "=");
  const std::size_t at = format.find(mark);
  if (is_switch) return at == std::string::npos ? "false" : "true";
  if (at == std::string::npos) return "none";
  const std::size_t begin = at + mark.size();
  return format.substr(begin, format.find('+', begin) - begin);
}

/// The word of a recipe's axis that a point does not name.
std::string recipe_word(const mx::recipe& r, std::string_view axis) {
  const mx::block_format& f = r.format();
  const mx::recipe_words words = mx::words_of(r);
  if (axis == "format") return *words.format;
  if (axis == "element") return mx::spelling_of(f.element);
  if (axis == "scale") {
    return f.precision == mx::scale_precision::exact ? "exact" : mx::scale_format_name(f.scale);
  }
  if (axis == "block") {
    return f.rows == 1 ? fmt::format("{}", f.columns) : fmt::format("{}x{}", f.rows, f.columns);
  }
  if (axis == "tensor") return tensor_word(f);
  if (axis == "variant") return words.variant.value_or("none");
  if (axis == "scale_rule") return words.scale_rule.value_or("variant");
  if (axis == "rounding") return words.rounding.value_or("variant");
  if (axis == "byte_map") return std::string(mx::name_in(mx::byte_map_table, r.rules.random.map));
  if (axis == "random_bits") return fmt::format("{}", r.rules.random.bits);
  if (axis == "random_seed") return fmt::format("{}", r.rules.random.seed);
  return correction_word(r, axis);
}

}  // namespace

std::optional<double> sweep_point::cost(std::string_view of) const {
  if (of == "bits") return bits;
  if (!gates) return std::nullopt;
  return of == "gates" ? gates->gates : gates->depth;
}

const std::string* word_at(const point_words& words, std::string_view name) {
  const auto found = std::ranges::find(words, name, &point_words::value_type::first);
  return found == words.end() ? nullptr : &found->second;
}

resolved_point resolved(point_words words) {
  sweep_point p;
  p.words = std::move(words);
  try {
    p.operand = operand_at(p.words);
    p.plan = plan_at(p.words, p.recipe());
  } catch (const std::invalid_argument& wrong) {
    return {{}, wrong.what()};
  } catch (const input_error& wrong) {
    return {{}, wrong.what()};
  }
  p.name = name_at(p);
  p.key = sha256_of(p.name);
  p.bits = bits_an_element(p.operand).value_or(0);
  if (p.plan) p.gates = gates_of(*word_at(p.words, "model"), *p.plan);
  return {std::move(p), ""};
}

std::string value_at(const sweep_point& p, std::string_view field) {
  if (const std::string* word = word_at(p.words, field)) return *word;
  if (is_sum_field(field)) return p.plan ? sum_field_word(*p.plan, field) : "none";
  return field == "model" ? "none" : recipe_word(p.recipe(), field);
}

}  // namespace sim
