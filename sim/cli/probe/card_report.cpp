// SPDX-License-Identifier: Apache-2.0
// sim/cli/probe/card_report.cpp: the lines of a card.
#include "sim/cli/probe/card_report.h"

#include <fmt/format.h>

#include "golden/io/file.h"
#include "golden/probe/card_text.h"
#include "sim/cli/terminal/exact_text.h"
#include "sim/cli/terminal/input_tensor.h"
#include "sim/cli/terminal/terminal_text.h"
#include "sim/cli/verify/verify_report.h"

namespace sim::cli {
namespace {

using namespace golden::probe;

constexpr std::size_t value_column = 28;

void print_line(const std::string& head, const std::string& text) {
  fmt::print("{}{}\n", cell(head, 0, value_column), wrapped(text, value_column, value_column));
}

ordered_json line_json(const card_line& l) {
  return {{"property", l.property},
          {"known", name_of(l.known)},
          {"values", json_array(l.values, [](const card_value& v) { return v.word; })},
          {"why", json_array(l.values, [](const card_value& v) { return v.why; })},
          {"note", l.note}};
}

ordered_json outcome_json(const special_outcome& o) {
  ordered_json elements = ordered_json::array();
  for (const auto& [x, code] : o.elements) {
    elements.push_back({{"input", json_number(static_cast<double>(x))},
                        {"input_bits", hex_text(x)},
                        {"code", code}});
  }
  return {{"what", o.what}, {"scale", o.scale}, {"elements", elements}};
}

ordered_json odd_json(const odd_block& o) {
  ordered_json json{
      {"tensor", o.tensor},
      {"block", o.block},
      {"index", {o.row, o.column}},
      {"values", json_array(o.values, [](float x) { return json_number(static_cast<double>(x)); })},
      {"expected_scale", o.expected_scale},
      {"found_scale", o.found_scale},
      {"codes", o.codes}};
  if (!o.first) return json;
  json["first_code"] = {{"input", json_number(static_cast<double>(o.first->value))},
                        {"expected", o.first->expected},
                        {"found", o.first->found}};
  return json;
}

ordered_json scales_json(const tensor_scale_numbers& n) {
  return {{"tensor", n.tensor},
          {"found_bits", hex_text(n.found)},
          {"divided_bits", hex_text(n.divided)},
          {"multiplied_bits", hex_text(n.multiplied)},
          {"in_two_bits", hex_text(n.in_two)},
          {"inverted_bits", hex_text(n.inverted)}};
}

/// What only some cards have.
void add_further(const variant_card& card, ordered_json& json) {
  if (card.unusable) json["unusable_tensor_scale"] = tensor_scale_json(*card.unusable);
  if (!card.changes.empty()) {
    json["changed"] = card.changed;
    json["changes"] = json_array(card.changes, change_json);
    if (!card.part.empty()) json["part"] = card.part;
  }
  if (!card.tensor_scales.empty()) {
    json["tensor_scales"] = json_array(card.tensor_scales, scales_json);
  }
  if (!card.odd.empty()) {
    json["odd"] = json_array(card.odd, odd_json);
    json["without"] = card.without;
  }
  if (card.is_cut_short) json["cut_short"] = true;
}

ordered_json json_of(const card_report& c) {
  const auto near_json = [](const near_recipe& n) -> ordered_json {
    return {{"name", n.name}, {"blocks", n.blocks}, {"of", n.of}};
  };
  ordered_json json{{"verdict", c.card.explained ? "explained" : "unexplained"},
                    {"kernel_out", c.kernel_out},
                    {"format", c.format},
                    {"read", c.read},
                    {"missing", c.missing},
                    {"presets", c.card.presets},
                    {"card", json_array(c.card.lines, line_json)},
                    {"specials", json_array(c.card.specials, outcome_json)},
                    {"nearest", json_array(c.card.nearest, near_json)}};
  add_further(c.card, json);
  return json;
}

}  // namespace

void print(const card_report& c, output form) {
  if (form == output::json) return print_json(json_of(c));
  fmt::print("{} in {}: {}\n", golden::io::printable(c.kernel_out), c.format, verdict_text(c.card));
  for (const card_entry& e : entries_of(c.card, c.missing)) print_line(e.name, e.text);
}

}  // namespace sim::cli
