// SPDX-License-Identifier: Apache-2.0
// golden/probe/variant_card.h: the properties of a kernel, and those that its output leaves open.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "golden/probe/observed_rules.h"
#include "golden/probe/odd_blocks.h"
#include "golden/probe/recipe_search.h"
#include "golden/probe/tensor_scale_numbers.h"

namespace golden::probe {

/// How a property is known.
///   decided     one value fits
///   equal       several fit, and no known input distinguishes them
///   several     several fit, and some other input would distinguish them
///   by_preset   a preset alone explains the output, and has no such rule: `values` names it
///   unknown     no known value fits
enum class knowledge : std::uint8_t { decided, equal, several, by_preset, unknown };

/// A value that fits every byte.
///   why  input that would distinguish it from the first one; empty: none is known
struct card_value {
  std::string word, why;
};

/// One property.
///   note  unknown: how the value, if any, is known
struct card_line {
  std::string property;
  std::vector<card_value> values;
  knowledge known = knowledge::decided;
  std::string note;
};

///   explained  a known recipe gives every byte, and no tensor scale is unusable
///   changes    of the recipe `changed` that explain every byte, where no listed recipe does
///   part       where they hold, if not everywhere
///   odd        if nothing explains: the first blocks that the nearest recipe leaves
///   without    number of these blocks, if they are few or a part: the lines are those of all other
///              blocks
///   unusable   the first tensor scale that is not positive and finite, and the recipe's own
struct variant_card {
  bool explained = false;
  std::optional<validator::tensor_scale_pair> unusable;
  bool has_known_sizes = false;      ///< whether some hypothesis makes as many bytes
  std::vector<std::string> presets;  ///< that give every byte
  std::vector<card_line> lines;
  std::vector<special_outcome> specials;
  std::vector<near_recipe> nearest;  ///< if nothing explains
  std::string changed, part;
  std::vector<validator::change> changes;
  std::vector<odd_block> odd;
  std::vector<tensor_scale_numbers> tensor_scales;
  std::uint64_t without = 0;
  bool is_cut_short = false;  ///< recipes that fit a sample of the blocks were left out
};

[[nodiscard]] variant_card card_of(const mx::block_format& f,
                                   std::span<const validator::subject> subjects,
                                   const search_progress& progress = {});

}  // namespace golden::probe
