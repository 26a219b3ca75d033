// SPDX-License-Identifier: Apache-2.0
// emulator/tools/generated_recipes.h: the recipes of the generated quantizer, and their numbers on
// its pins; the generator and the models around the hardware share it.
#pragma once
#include <array>
#include <optional>
#include <string_view>

#include "mx/tensor/recipe.h"

namespace verilog {

/// A value of a recipe, its number on the pins, and its name in the package.
template <class Value>
struct numbered {
  Value value;
  std::uint8_t number;
  std::string_view name;
};

inline constexpr std::array generated_rules{
    numbered<mx::scale_rule>{mx::scale_rule::floor, 0, "Floor"},
    numbered<mx::scale_rule>{mx::scale_rule::rceil, 1, "Rceil"},
    numbered<mx::scale_rule>{mx::scale_rule::ceil, 2, "Ceil"},
    numbered<mx::scale_rule>{mx::scale_rule::even, 3, "Even"},
    numbered<mx::scale_rule>{mx::scale_rule::floor6, 4, "Floor6"},
    numbered<mx::scale_rule>{mx::scale_rule::midmax, 5, "Midmax"},
    numbered<mx::scale_rule>{mx::scale_rule::overflow_aware, 6, "OverflowAware"}};

/// As mx_pkg::RoundTowardZero and so on.
inline constexpr std::array generated_roundings{
    numbered<mx::rounding>{mx::rounding::toward_zero, 0, "TowardZero"},
    numbered<mx::rounding>{mx::rounding::ties_to_even, 1, "TiesToEven"},
    numbered<mx::rounding>{mx::rounding::stochastic, 2, "Stochastic"}};

template <class Table, class Value>
[[nodiscard]] constexpr std::optional<std::uint8_t> number_of(const Table& table, Value value) {
  for (const auto& entry : table) {
    if (entry.value == value) return entry.number;
  }
  return std::nullopt;
}

/// The part of a recipe that the quantizer lacks.
///   recipe    mx::refusal_of refuses it
///   preset, passes, codes, layout  anything but the default
///   corrections  anything but the factor of a macro block of one block, of its default bits
///   format    anything but blocks of MXFP4 with a scale of powers of two, or with fraction bits
///   rule, rounding  without a number
enum class missing_part : std::uint8_t {
  none,
  recipe,
  preset,
  passes,
  codes,
  layout,
  corrections,
  format,
  rule,
  rounding
};

[[nodiscard]] constexpr missing_part missing_part_of(const mx::recipe& r) {
  mx::corrections factor;
  factor.macro_block = r.corrections.macro_block == 0 ? 0 : mx::mxfp4::size;
  mx::block_format format;
  format.scale = r.format().scale;
  if (refusal_of(r) != mx::recipe_refusal::none) return missing_part::recipe;
  if (r.has_preset()) return missing_part::preset;
  if (r.passes != mx::passes::once) return missing_part::passes;
  if (!(r.codes == mx::code_order{})) return missing_part::codes;
  if (r.layout != mx::scale_layout::linear) return missing_part::layout;
  if (!(r.corrections == factor)) return missing_part::corrections;
  const bool is_power = format.scale.lowest_field != mx::lowest_field::subnormal;
  if (!(r.format() == format) || !is_power) return missing_part::format;
  if (!number_of(generated_rules, r.rules.rule)) return missing_part::rule;
  if (!number_of(generated_roundings, r.rules.rounding)) return missing_part::rounding;
  return missing_part::none;
}

[[nodiscard]] constexpr bool is_generated(const mx::recipe& r) {
  return missing_part_of(r) == missing_part::none;
}

static_assert(is_generated({}) && is_generated({.corrections = {.macro_block = 32}}));
static_assert(is_generated({.rules = {{.scale = mx::formats::e8m(3)}}}));
static_assert(missing_part_of({.preset = 0}) == missing_part::preset);
static_assert(missing_part_of({.corrections = {.macro_block = 64}}) == missing_part::corrections);
static_assert(missing_part_of({.rules = {mx::block_formats::mxfp8_e4m3}}) == missing_part::format);
static_assert(missing_part_of({.rules = {{}, mx::scale_rule::mse}}) == missing_part::rule);
static_assert(missing_part_of({.rules = {{}, {}, mx::rounding::ties_away}}) ==
              missing_part::rounding);

/// A generated module mx_quantizer_<name>, by the formats of its input and of its scale.
struct quantizer_model {
  std::string_view name;
  mx::format in, scale;
};

inline constexpr quantizer_model quantizer_models[] = {
    {"bfloat16_e8m0", mx::formats::bfloat16, mx::formats::e8m0},
    {"bfloat16_e8m3", mx::formats::bfloat16, mx::formats::e8m(3)},
    {"binary32_e8m0", mx::formats::binary32, mx::formats::e8m0},
    {"binary32_e8m3", mx::formats::binary32, mx::formats::e8m(3)}};

}  // namespace verilog
