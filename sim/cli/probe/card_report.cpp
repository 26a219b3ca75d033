// SPDX-License-Identifier: Apache-2.0
// sim/cli/probe/card_report.cpp: the lines of a card.
#include "sim/cli/probe/card_report.h"

#include <fmt/format.h>

#include <array>

#include "golden/io/file.h"
#include "sim/cli/terminal/exact_text.h"
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
  return fmt::format("unknown{}{}: {}", text.empty() ? "" : ", ", text, l.note);
}

std::string outcome_text(const special_outcome& o) {
  std::string text = fmt::format("scale 0x{:02x}", o.scale);
  for (const auto& [x, code] : o.elements) {
    text += fmt::format(", {} ({}) -> code 0x{:x}", decimal_text(x), hex_text(x), code);
  }
  return text;
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
  if (c.card.unusable) json["unusable_tensor_scale"] = tensor_scale_json(*c.card.unusable);
  return json;
}

}  // namespace

void print(const card_report& c, output form) {
  if (form == output::json) return print_json(json_of(c));
  fmt::print(
      "{} in {}: {}\n", golden::io::printable(c.kernel_out), c.format,
      c.card.explained ? "a known recipe gives every byte" : "no known recipe gives every byte");
  if (c.card.unusable) {
    print_line("unusable tensor scale", golden::validator::text_of(*c.card.unusable) +
                                            "; the other lines assume the right one");
  }
  if (!c.missing.empty()) {
    print_line("not in the output",
               fmt::format("{}: their properties stay open", fmt::join(c.missing, ", ")));
  }
  if (c.card.explained) {
    const bool none = c.card.presets.empty();
    print_line("presets", none ? "none" : fmt::format("{}", fmt::join(c.card.presets, ", ")));
  }
  for (const card_line& l : c.card.lines) print_line(l.property, value_text(l));
  for (const special_outcome& o : c.card.specials) print_line(o.what, outcome_text(o));
  for (const near_recipe& n : c.card.nearest) {
    print_line("nearest", fmt::format("{}: {} of {} blocks", n.name, n.blocks, n.of));
  }
}

}  // namespace sim::cli
