// SPDX-License-Identifier: Apache-2.0
// sim/cli/formats/listed_name.cpp: the details of one name.
#include <fmt/format.h>

#include <stdexcept>

#include "mx/block/names.h"
#include "mx/dot/binary64_dot.h"
#include "mx/dot/mixed_models.h"
#include "mx/presets/variants.h"
#include "mx/recipe_words.h"
#include "mx/spelling.h"
#include "mx/tensor/layout.h"
#include "sim/cli/formats/format_figures.h"
#include "sim/cli/formats/listed_formats.h"
#include "sim/cli/terminal/command.h"
#include "sim/cli/terminal/exact_text.h"
#include "sim/cli/terminal/terminal_text.h"
#include "sim/study/stored_bits.h"

namespace sim::cli {
namespace {

/// The meaning of a name: as lines of text, and as JSON.
struct found_name {
  std::string text;
  ordered_json json;
  [[nodiscard]] bool empty() const { return text.empty(); }
};

template <class Table>
const typename Table::value_type* entry_of(const Table& table, std::string_view name) {
  for (const auto& entry : table) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

std::string element_lines(const mx::format& f) {
  std::string text = fmt::format(
      "  bits      {} (sign/exponent/fraction {}), bias {}, emax {}\n"
      "  numbers   {}; special {}\n",
      f.width(), fields_of(f), f.bias, f.emax(), limits_of(f), specials_of(f));
  if (f.width() > 8) return text;
  std::string values;
  for (const float value : magnitudes_of(f)) values += fmt::format(" {:.8g}", value);
  return text + fmt::format("  codes     {}\n", wrapped(values.substr(1), 12, 12)) +
         "            magnitudes of the codes 0, 1, 2, ... without the sign\n";
}

/// The amax of blocks whose scale is 1 under one of the rules that see a scale's fraction bits
/// (D-016): up to the largest element, or from it, and as far as a neighbouring scale.
///   rule  rceil or floor6
std::string fine_bounds_text(const mx::block_format& f, const mx::named<mx::scale_rule>& rule) {
  const mx::unpacked largest = mx::decode(f.element, f.element.max_code());
  const int bits = f.scale.fraction_bits;
  const std::uint32_t one = 1U << bits;
  const auto under = [&](std::uint32_t scale, int unit) {
    return mx::unpacked::positive(largest.significand * scale, largest.exponent + unit);
  };
  if (rule.value == mx::scale_rule::floor6) {
    return fmt::format("    {:<16}from {} to below {}\n", rule.name, decimal_text(largest),
                       decimal_text(under(one + 1, -bits)));
  }
  return fmt::format("    {:<16}above {} up to {}\n", rule.name,
                     decimal_text(under(2 * one - 1, -bits - 1)), decimal_text(largest));
}

/// Bounds at which the power-of-two rules take the next exponent, as amax of a block of scale 1.
///   block  has stored scales: exact ones go with no such rule
std::string bounds_text(const mx::block_format& block) {
  const mx::format& f = block.element;
  const bool fine = block.scale.fraction_bits > 0;
  std::string text = "  amax of a block whose scale is 1\n";
  for (const auto& entry : mx::scale_rule_table) {
    if (!mx::is_power_of_two_rule(entry.value)) continue;
    const mx::unpacked two = mx::unpacked::positive(1, f.emax() + 1);
    if (entry.value == mx::scale_rule::floor) {
      text += fmt::format("    {:<16}from {} to below {}\n", entry.name,
                          decimal_text(two.scaled_by_power_of_two(-1)), decimal_text(two));
      continue;
    }
    const bool down = entry.value == mx::scale_rule::floor6;
    if (fine && (down || entry.value == mx::scale_rule::rceil)) {
      text += fine_bounds_text(block, entry);
      continue;
    }
    const mx::exponent_bound bound = mx::exponent_bound_of(f, entry.value);
    const int unit = f.emax() - f.fraction_bits - 2;
    const mx::unpacked high = mx::unpacked::positive(bound.significand, unit + (down ? 1 : 0));
    const mx::unpacked low = high.scaled_by_power_of_two(-1);
    text +=
        fmt::format("    {:<16}{} {} {} {}\n", entry.name, bound.at_bound ? "from" : "above",
                    decimal_text(low), bound.at_bound ? "to below" : "up to", decimal_text(high));
  }
  return text;
}

/// Corrections as words: "mbs=128,8", "of=0.5".
std::vector<std::string> corrections_of(const mx::spelled_format& spelled) {
  std::vector<std::string> words;
  const std::string text = mx::spelling_of(spelled);
  for (std::size_t at = text.find('+'); at != std::string::npos;) {
    const std::size_t next = text.find('+', at + 1);
    words.push_back(text.substr(at + 1, next == std::string::npos ? next : next - at - 1));
    at = next;
  }
  return words;
}

/// With what the corrections store.
double stored_bits(const mx::spelled_format& spelled) {
  mx::operand f{.numbers = mx::operand_numbers::coded};
  f.recipe.rules.format = spelled.format;
  f.recipe.corrections = spelled.corrections;
  f.recipe.passes = spelled.passes;
  return bits_an_element(f).value();
}

/// Refuses (usage_error) a format whose parts are known, and which nothing can quantize to.
void expect_quantizable(const std::string& name) {
  try {
    mx::recipe_words words;
    words.format = name;
    static_cast<void>(mx::recipe_spelled(words));
  } catch (const mx::recipe_error& wrong) {
    throw usage_error("{}: {}", name, wrong.what());
  }
}

found_name format_details(const std::string& name) {
  mx::spelled_format spelled;
  try {
    spelled = mx::format_spelled(name);
  } catch (const std::invalid_argument& wrong) {
    const bool is_spelled_out = name.find_first_of(":+") != std::string::npos;
    if (is_spelled_out) throw usage_error("{}: {}", name, wrong.what());
    return {};
  }
  expect_quantizable(name);
  const mx::block_format& f = spelled.format;
  const auto* known = entry_of(mx::block_format_table, name);
  ordered_json json{{"name", mx::spelling_of(spelled)}, {"kind", "format"}};
  if (known != nullptr) json["meaning"] = known->sentence;
  json.update(figures_json(f));
  json["bits_an_element"] = stored_bits(spelled);
  const std::vector<std::string> corrections = corrections_of(spelled);
  if (!corrections.empty()) json["corrections"] = corrections;
  std::string text = mx::spelling_of(spelled) + ": a format";
  if (known != nullptr) text += fmt::format(": {}", known->sentence);
  const bool is_exact = f.precision == mx::scale_precision::exact;
  text += fmt::format(
      "\n  blocks    {}x{} of {} under {}; {} bits an element\n"
      "  rule      {}{}\n",
      f.rows, f.columns, mx::spelling_of(f.element),
      is_exact ? "an exact scale, which is not stored"
               : fmt::format("a scale in {}", scale_name_of(f)),
      stored_bits(spelled), json["default_scale_rule"].get<std::string>(),
      is_exact ? "" : " by default");
  if (!corrections.empty()) {
    text += fmt::format("  corrected {}; see `mxprism formats --corrections`\n",
                        fmt::join(corrections, " "));
  }
  if (f.has_tensor_scale()) {
    text += fmt::format(
        "  tensor    one FP32 scale for each {}{}\n",
        f.tensor == mx::tensor_scaling::per_tensor ? "tensor" : "row",
        f.bound == mx::tensor_bound::of_256 ? ", under which the largest block scale is 256" : "");
  }
  text += element_lines(f.element);
  if (!is_exact) text += bounds_text(f);
  return {text, json};
}

template <class Table>
found_name choice_details(const Table& table, const char* kind, const std::string& name) {
  const auto* entry = entry_of(table, name);
  if (entry == nullptr) return {};
  return {fmt::format("{}: a {}\n  {}\n", name, kind, wrapped(entry->sentence, 2, 2)),
          {{"name", name}, {"kind", kind}, {"meaning", entry->sentence}}};
}

template <class Table>
found_name number_format_details(const Table& table, const char* kind, const std::string& name) {
  found_name found = choice_details(table, kind, name);
  const auto* entry = entry_of(table, name);
  if (entry == nullptr) return {};
  found.text += element_lines(entry->value);
  found.json.update(figures_json(entry->value));
  return found;
}

/// The name that is printed for a format of numbers or of scales, by any name that is read; itself
/// if it is none.
template <class Spelled, class Name>
std::string printed_name(const Spelled& spelled, const Name& name_of, const std::string& name) {
  try {
    return name_of(spelled(name));
  } catch (const std::invalid_argument&) {
    return name;
  }
}

found_name layout_details(const std::string& name) {
  found_name found = choice_details(mx::scale_layout_table, "layout of scales", name);
  const auto* entry = entry_of(mx::scale_layout_table, name);
  if (entry == nullptr) return {};
  found.text += fmt::format("  source    {}\n  a matrix of 128 x 4 scales takes {} bytes\n",
                            entry->source, mx::size(entry->value, 128, 4));
  found.json["source"] = entry->source;
  return found;
}

found_name variant_details(const std::string& name) {
  const mx::variant_entry* entry = mx::variant_named(name);
  if (entry == nullptr) return {};
  ordered_json json = json_of(*entry);
  json["kind"] = "variant";
  return {name + ": a variant\n" + described(*entry), json};
}

found_name model_details(const std::string& name) {
  const auto details_of = [&name](const auto& entry) -> found_name {
    ordered_json json = json_of(entry);
    json["kind"] = "model";
    return {name + ": a model of a dot product\n" + described(entry), json};
  };
  if (const auto* entry = mx::binary64::model_named(name)) return details_of(*entry);
  const mx::named_model* entry = mx::any_model_named(name);
  return entry == nullptr ? found_name{} : details_of(*entry);
}

std::string_view name_of(const auto& entry) { return entry.name; }
std::string_view name_of(const mx::variant_entry& entry) { return entry.about.name; }

[[noreturn]] void refuse(const std::string& name) {
  std::vector<std::string_view> names;
  const auto append = [&names](const auto& table) {
    for (const auto& entry : table) names.push_back(name_of(entry));
  };
  std::apply(
      [&](const auto&... tables) { (append(tables), ...); },
      std::tie(mx::block_format_table, mx::element_format_table, mx::wide_format_table,
               mx::scale_format_table, mx::scale_rule_table, mx::rounding_table, mx::byte_map_table,
               mx::code_order_table, mx::scale_layout_table, mx::variant_table, mx::model_table,
               mx::mixed_model_table, mx::first_step_model_table, mx::binary64::model_table));
  throw usage_error("{} `mxprism formats --all` lists all names",
                    mx::no_such_name("name", name, names));
}

/// A name may have several meanings: floor is a rule, e4m3 is an element.
std::vector<found_name> all_of(const std::string& name) {
  std::vector<found_name> found;
  const auto take = [&](found_name f) {
    if (!f.empty()) found.push_back(std::move(f));
  };
  take(format_details(name));
  const std::string numbers = printed_name(mx::number_format_spelled, mx::number_format_name, name);
  take(number_format_details(mx::element_format_table, "format of elements", numbers));
  take(number_format_details(mx::wide_format_table, "format of numbers", numbers));
  take(number_format_details(mx::scale_format_table, "format of scales",
                             printed_name(mx::scale_format_spelled, mx::scale_format_name, name)));
  take(choice_details(mx::scale_rule_table, "scale rule", name));
  take(choice_details(mx::rounding_table, "rounding", name));
  take(choice_details(mx::byte_map_table, "byte map", name));
  take(choice_details(mx::code_order_table, "packing", name));
  take(layout_details(name));
  take(variant_details(name));
  take(model_details(name));
  if (found.empty()) refuse(name);
  return found;
}

}  // namespace

std::string details_text(const std::string& name) {
  std::string text;
  for (const found_name& f : all_of(name)) text += (text.empty() ? "" : "\n") + f.text;
  return text;
}

ordered_json details_json(const std::string& name) {
  return {{"name", name},
          {"found", json_array(all_of(name), [](const found_name& f) { return f.json; })}};
}

}  // namespace sim::cli
