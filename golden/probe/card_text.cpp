// SPDX-License-Identifier: Apache-2.0
// golden/probe/card_text.cpp: the entries of a card.
#include "golden/probe/card_text.h"

#include <array>
#include <cstdio>

#include "golden/io/counted.h"
#include "golden/io/file.h"
#include "golden/validator/tensor/numbers.h"
#include "mx/spelling.h"

namespace golden::probe {
namespace {

using validator::hexadecimal;

/// A number's bits, which look unlike a code.
std::string hex_text(float x) {
  char text[11];
  std::snprintf(text, sizeof text, "0x%08X", static_cast<unsigned>(mx::bits_of(x)));
  return text;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

std::string outcome_text(const special_outcome& o) {
  std::string text = "scale " + hexadecimal(o.scale, 2);
  for (const auto& [x, code] : o.elements) {
    text += ", " + mx::decimal_text(x) + " (" + hex_text(x) + ") -> code " + hexadecimal(code, 1);
  }
  return text;
}

std::string odd_text(const odd_block& o) {
  std::vector<std::string> values;
  for (const float x : o.values) values.push_back(mx::decimal_text(x));
  std::string text = io::printable(o.tensor) + ", block " + std::to_string(o.block) + " at [" +
                     std::to_string(o.row) + ", " + std::to_string(o.column) + "], " +
                     joined(values) + ": ";
  if (o.expected_scale != o.found_scale) {
    text += "scale " + hexadecimal(o.found_scale, 2) + ", expected " +
            hexadecimal(o.expected_scale, 2) + "; ";
  }
  if (!o.first) return text + "codes as expected";
  return text + io::counted(o.codes, "wrong code") + ", such as " +
         mx::decimal_text(o.first->value) + " -> code " + hexadecimal(o.first->found, 1) +
         ", expected " + hexadecimal(o.first->expected, 1);
}

/// A tensor scale beside those of orders of operations, for a tensor on which they differ.
std::string scales_text(const tensor_scale_numbers& n) {
  return hex_text(n.found) + "; amax / reach gives " + hex_text(n.divided) +
         ", amax * (1 / reach) " + hex_text(n.multiplied) + ", divided twice " +
         hex_text(n.in_two) + ", 1 / (reach / amax) " + hex_text(n.inverted);
}

void add_nearest(const variant_card& card, std::vector<card_entry>& all) {
  for (const near_recipe& n : card.nearest) {
    all.push_back({"nearest", n.name + ": " + std::to_string(n.blocks) + " of " +
                                  std::to_string(n.of) + " blocks"});
    if (&n != &card.nearest.front()) continue;
    for (const odd_block& o : card.odd) all.push_back({"not of it", odd_text(o)});
    if (n.odd.size() > card.odd.size()) {
      all.push_back({"not of it", io::counted(n.odd.size() - card.odd.size(), "further block")});
    }
  }
  if (card.is_cut_short) {
    all.push_back({"not all compared",
                   "more recipes fit a sample of the blocks than were compared with all of them"});
  }
}

/// What explains the output, or comes nearest to it and where it does not.
void add_causes(const variant_card& card, std::vector<card_entry>& all) {
  for (const validator::change& change : card.changes) {
    all.push_back({"differs", std::string(change.dimension) + ": " + change.found + " instead of " +
                                  change.expected + ", in " + card.changed});
  }
  if (card.part.empty()) add_nearest(card, all);
}

}  // namespace

std::string_view name_of(knowledge k) {
  constexpr std::array<std::string_view, 5> names{"told", "equal", "several", "by preset",
                                                  "unknown"};
  return names[static_cast<std::size_t>(k)];
}

std::string text_of(const card_line& l) {
  std::string text = l.known == knowledge::several ? "undecided: " : "";
  for (const card_value& v : l.values) {
    text += (&v == &l.values.front() ? "" : "; or ") + v.word;
    if (!v.why.empty()) text += " (" + v.why + ")";
  }
  if (l.known == knowledge::equal) text += "; no known input distinguishes them";
  if (l.known != knowledge::unknown) return text;
  const auto after = [](const char* mark, const std::string& what) {
    return what.empty() ? "" : mark + what;
  };
  return "unknown" + after("; ", text) + after(text.empty() ? ": " : ", ", l.note);
}

std::string verdict_text(const variant_card& card) {
  if (card.explained) return "a known recipe gives every byte";
  const std::string known = card.part.empty()
                                ? "no known recipe gives every byte"
                                : "a known recipe, changed in a part, gives every byte";
  if (card.without == 0) return known;
  return known + "; these properties are of all blocks but " + std::to_string(card.without);
}

std::vector<card_entry> entries_of(const variant_card& card,
                                   const std::vector<std::string>& missing) {
  std::vector<card_entry> all;
  add_causes(card, all);
  if (card.unusable) {
    all.push_back({"unusable tensor scale",
                   validator::text_of(*card.unusable) + "; the other lines assume the right one"});
  }
  if (!missing.empty()) {
    all.push_back({"not in the output", joined(missing) + ": their properties stay open"});
  }
  if (card.explained || card.without > 0) {
    all.push_back({"presets", card.presets.empty() ? "none" : joined(card.presets)});
  }
  for (const card_line& l : card.lines) all.push_back({l.property, text_of(l)});
  for (const tensor_scale_numbers& n : card.tensor_scales) {
    all.push_back({"tensor scale of " + n.tensor, scales_text(n)});
  }
  for (const special_outcome& o : card.specials) all.push_back({o.what, outcome_text(o)});
  return all;
}

}  // namespace golden::probe
