// SPDX-License-Identifier: Apache-2.0
// sim/cli/quantize/coded_notes.cpp: how a file of codes was made, as its metadata say it.
#include "sim/cli/quantize/coded_notes.h"

#include <fmt/format.h>

#include <charconv>

#include "mx/names.h"
#include "sim/cli/rules/variant_choice.h"

namespace sim::cli {
namespace {

namespace io = golden::io;

constexpr const char* by_variant = "variant";

std::optional<std::string> text_at(const io::tensor_file& file, const std::string& key) {
  const std::string* text = note(file, key);
  return text == nullptr || *text == by_variant ? std::nullopt : std::optional(*text);
}

template <class Number>
std::optional<Number> number_at(const io::tensor_file& file, const std::string& key) {
  const std::string* text = note(file, key);
  if (text == nullptr) return {};
  Number number{};
  const char* end = text->data() + text->size();
  const auto [stop, error] = std::from_chars(text->data(), end, number);
  if (error == std::errc() && stop == end) return number;
  throw io::file_error(file.path(), fmt::format("its metadata `{}` is {}; expected a number", key,
                                                io::printable(*text)));
}

/// The options that would make the file again. A format with @ would name another file.
rule_options options_of(const io::tensor_file& file) {
  rule_options o;
  o.format = text_at(file, "format");
  if (o.format && o.format->starts_with('@')) {
    throw io::file_error(file.path(), "its metadata `format` names a file; expected a format");
  }
  o.scale_rule = text_at(file, "scale_rule");
  o.rounding = text_at(file, "rounding");
  o.byte_map = text_at(file, "byte_map");
  o.variant = text_at(file, "variant");
  o.seed = number_at<std::uint64_t>(file, "seed");
  o.random_bits = number_at<int>(file, "random_bits");
  return o;
}

/// The words of the options in place of those of the metadata. A preset leaves no rules beside it.
rule_options replaced(rule_options notes, const rule_options& asked) {
  if (asked.format || asked.variant) {
    notes = {};
    notes.format = asked.format;
    notes.variant = asked.variant;
  }
  return notes;
}

}  // namespace

const std::string* note(const io::tensor_file& file, const std::string& key) {
  const auto found = file.metadata().find(key);
  return found == file.metadata().end() ? nullptr : &found->second;
}

io::metadata notes_of(const chosen_rules& rules, const storage& how) {
  const mx::block_format& f = rules.format();
  io::metadata notes{
      {"format", rules.format_name()},
      {"scale_rule", rules.rule_name()},
      {"rounding", rules.rounding_name()},
      {"packing", std::string(mx::name_in(code_storage_table, how.codes))},
      {"layout", std::string(mx::name_in(mx::scale_layout_table, how.layout))},
      {"block", f.rows > 1 ? fmt::format("{}x{}", f.rows, f.columns) : std::to_string(f.columns)}};
  if (rules.variant != nullptr) notes["variant"] = name_of(*rules.variant);
  if (rules.rounding == mx::rounding::stochastic) {
    notes["seed"] = std::to_string(rules.random.seed);
    notes["random_bits"] = std::to_string(rules.random.bits);
    notes["byte_map"] = std::string(mx::name_in(mx::byte_map_table, rules.random.map));
  }
  return notes;
}

coding coding_of(const io::tensor_file& file, const rule_options& options,
                 const storage_options& storage) {
  const rule_options notes = options_of(file);
  storage_options places{text_at(file, "packing"), text_at(file, "layout")};
  const bool told = options.format || options.variant || storage.packing || storage.layout;
  if (storage.packing) places.packing = storage.packing;
  if (storage.layout) places.layout = storage.layout;
  try {
    coding result;
    result.rules = rules_of(replaced(notes, options));
    const bool preset = result.rules.variant != nullptr;
    const mx::nibble_order usual =
        preset ? nibbles_of(*result.rules.variant) : mx::nibble_order::low_first;
    result.how = storage_of(places, usual);
    result.packing_known = places.packing.has_value() || usual != mx::nibble_order::low_first;
    return result;
  } catch (const usage_error& wrong) {
    if (told) throw;
    throw io::file_error(file.path(), fmt::format("its metadata: {}", wrong.what()));
  }
}

}  // namespace sim::cli
