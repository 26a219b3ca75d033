// SPDX-License-Identifier: Apache-2.0
// golden/probe/variant_card.h: what a kernel is, property by property, and which properties its output
// does not tell.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "golden/probe/observed_rules.h"
#include "golden/probe/recipe_search.h"

namespace golden::probe {

/// How a property is known.
///   told        one value fits
///   equal       more than one does, and no known input tells them apart
///   several     more than one does, and some other input would tell
///   by_preset   a preset alone explains the output, and has no such rule: `values` names it
///   unknown     no known value fits
enum class knowledge : std::uint8_t { told, equal, several, by_preset, unknown };

/// A value that fits every byte.
///   why  what would tell it from the first one; empty: nothing known does
struct card_value {
  std::string word, why;
};

/// One property.
///   note  unknown: what is nearest
struct card_line {
  std::string property;
  std::vector<card_value> values;
  knowledge known = knowledge::told;
  std::string note;
};

///   explained  a known recipe gives every byte, and no tensor scale is unusable
///   unusable   the first tensor scale that is not a positive finite number, and that of the recipe
struct variant_card {
  bool explained = false;
  std::optional<validator::unusable_scale> unusable;
  bool has_known_sizes = false;      ///< whether the bytes are as many as some recipe makes
  std::vector<std::string> presets;  ///< that give every byte
  std::vector<card_line> lines;
  std::vector<special_outcome> specials;
  std::vector<near_recipe> nearest;  ///< where nothing explains
};

[[nodiscard]] variant_card card_of(const mx::block_format& f,
                                   std::span<const validator::subject> subjects);

}  // namespace golden::probe
