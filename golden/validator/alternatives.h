// SPDX-License-Identifier: Apache-2.0
// golden/validator/alternatives.h: in each dimension, what else a kernel might do: one value each.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "golden/validator/dimension.h"
#include "golden/validator/prediction.h"

namespace golden::validator {

/// One change of a recipe.
struct alternative {
  dimension what = dimension::variant;
  std::function<void(recipe&)> apply;
};

/// What numbers or zeros a tensor holds, so that changes that could not matter are left out.
struct tensor_traits {
  bool special = false;             ///< NaN or Inf in the input
  std::uint64_t zero_elements = 0;  ///< at the end of the axis, codes that are all 0 in the file
};

/// The changes of a declared recipe, likely ones first.
[[nodiscard]] std::vector<alternative> alternatives_of(const recipe& declared,
                                                       std::span<const subject> subjects,
                                                       const tensor_traits& traits);

/// The part of them that only concerns where bytes lie.
void append_storage_alternatives(const recipe& declared, std::span<const subject> subjects,
                                 std::vector<alternative>& list);

}  // namespace golden::validator
