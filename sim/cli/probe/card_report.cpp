// SPDX-License-Identifier: Apache-2.0
// sim/cli/probe/card_report.cpp: the lines of a card.
#include "sim/cli/probe/card_report.h"

#include <fmt/format.h>

#include <array>

#include "golden/io/file.h"
#include "sim/cli/terminal/exact_text.h"
#include "sim/cli/terminal/input_tensor.h"
#include "sim/cli/terminal/terminal_text.h"
#include "sim/cli/verify/verify_report.h"

namespace sim::cli {
namespace {

using namespace golden::probe;

constexpr std::size_t value_column = 28;

std::string_view name_of(knowledge k) {
  constexpr std::array<std::string_view, 5> names{"told", "equal", "several", "by preset",
                                                  "unknown"};
  return names[static_cast<std::size_t>(k)];
}

/// Every value, with data that would distinguish it from the first.
std::string value_text(const card_line& l) {
  std::string text = l.known == knowledge::several ? "undecided: " : "";
  for (const card_value& v : l.values) {
    text += fmt::format("{}{}", &v == &l.values.front() ? "" : "; or ", v.word);
    if (!v.why.empty()) text += fmt::format(" ({})", v.why);
  }
  if (l.known == knowledge::equal) text += "; no known input distinguishes them";
  if (l.known != knowledge::unknown) return text;
  const auto after = [](const char* mark, const std::string& what) {
    return what.empty() ? "" : mark + what;
  };
  return "unknown" + after("; ", text) + after(text.empty() ? ": " : ", ", l.note);
}

std::string outcome_text(const special_outcome& o) {
  std::string text = fmt::format("scale 0x{:02x}", o.scale);
  for (const auto& [x, code] : o.elements) {
    text += fmt::format(", {} ({}) -> code 0x{:x}", decimal_text(x), hex_text(x), code);
  }
  return text;
}

std::string odd_text(const odd_block& o) {
  std::vector<std::string> values;
  for (const float x : o.values) values.push_back(decimal_text(x));
  std::string text = fmt::format("{}, block {} at [{}, {}], {}: ", golden::io::printable(o.tensor),
                                 o.block, o.row, o.column, fmt::join(values, ", "));
  if (o.expected_scale != o.found_scale) {
    text += fmt::format("scale 0x{:02x}, expected 0x{:02x}; ", o.found_scale, o.expected_scale);
  }
  if (!o.first) return text + "codes as expected";
  return text + fmt::format("{}, such as {} -> code 0x{:x}, expected 0x{:x}",
                            counted(o.codes, "wrong code"), decimal_text(o.first->value),
                            o.first->found, o.first->expected);
}

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

/// A tensor scale beside those of orders of operations, for a tensor on which they differ.
std::string scales_text(const tensor_scale_numbers& n) {
  return fmt::format(
      "{}; amax / reach gives {}, amax * (1 / reach) {}, divided twice {}, 1 / (reach / amax) {}",
      hex_text(n.found), hex_text(n.divided), hex_text(n.multiplied), hex_text(n.in_two),
      hex_text(n.inverted));
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

std::string verdict_text(const variant_card& card) {
  if (card.explained) return "a known recipe gives every byte";
  const std::string known = card.part.empty()
                                ? "no known recipe gives every byte"
                                : "a known recipe, changed in a part, gives every byte";
  if (card.without == 0) return known;
  return known + "; these properties are of all blocks but " + std::to_string(card.without);
}

/// What explains the output, or comes nearest to it and where it does not.
void print_causes(const variant_card& card) {
  for (const golden::validator::change& change : card.changes) {
    print_line("differs", fmt::format("{}: {} instead of {}, in {}", change.dimension, change.found,
                                      change.expected, card.changed));
  }
  if (!card.part.empty()) return;
  for (const near_recipe& n : card.nearest) {
    print_line("nearest", fmt::format("{}: {} of {} blocks", n.name, n.blocks, n.of));
    if (&n != &card.nearest.front()) continue;
    for (const odd_block& o : card.odd) print_line("not of it", odd_text(o));
    if (n.odd.size() > card.odd.size()) {
      print_line("not of it", counted(n.odd.size() - card.odd.size(), "further block"));
    }
  }
  if (card.is_cut_short) {
    print_line("not all compared",
               "more recipes fit a sample of the blocks than were compared with all of them");
  }
}

}  // namespace

void print(const card_report& c, output form) {
  if (form == output::json) return print_json(json_of(c));
  fmt::print("{} in {}: {}\n", golden::io::printable(c.kernel_out), c.format, verdict_text(c.card));
  print_causes(c.card);
  if (c.card.unusable) {
    print_line("unusable tensor scale", golden::validator::text_of(*c.card.unusable) +
                                            "; the other lines assume the right one");
  }
  if (!c.missing.empty()) {
    print_line("not in the output",
               fmt::format("{}: their properties stay open", fmt::join(c.missing, ", ")));
  }
  if (c.card.explained || c.card.without > 0) {
    const bool none = c.card.presets.empty();
    print_line("presets", none ? "none" : fmt::format("{}", fmt::join(c.card.presets, ", ")));
  }
  for (const card_line& l : c.card.lines) print_line(l.property, value_text(l));
  for (const tensor_scale_numbers& n : c.card.tensor_scales) {
    print_line("tensor scale of " + n.tensor, scales_text(n));
  }
  for (const special_outcome& o : c.card.specials) print_line(o.what, outcome_text(o));
}

}  // namespace sim::cli
