// SPDX-License-Identifier: Apache-2.0
// golden/validator/tensor/alternatives.h: in each dimension, what else a kernel might do: one value
// each.
#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "golden/validator/dimension.h"
#include "prediction.h"

namespace golden::validator {

/// Whether a change is tried beside others too, or only alone, because there are many like it.
enum class company : std::uint8_t { any, alone };

/// One change of a recipe.
struct alternative {
  dimension what = dimension::variant;
  std::function<void(recipe&)> apply;
  company with = company::any;
};

/// Rows at the end of an output whose codes are all made of one byte.
///   codes   that byte
///   scales  the one of all their scales; nothing where these are several
struct constant_rows {
  std::uint64_t rows = 0;
  std::uint8_t codes = 0;
  std::optional<std::uint8_t> scales;
};

/// What numbers or zeros a tensor holds, so that changes that could not matter are left out.
struct tensor_traits {
  bool special = false;             ///< NaN or Inf in the input
  std::uint64_t zero_elements = 0;  ///< at the end of the axis, codes that are all 0 in the file
  constant_rows tail;               ///< at the end of the file
};

/// The changes of a declared recipe, likely ones first.
[[nodiscard]] std::vector<alternative> alternatives_of(const recipe& declared,
                                                       std::span<const subject> subjects,
                                                       const tensor_traits& traits);

/// Other sources of random bits, where the declared rounding is stochastic or might be.
void append_random_alternatives(const recipe& declared, std::span<const subject> subjects,
                                std::vector<alternative>& list);

/// Scales that several blocks share, and rows that were not written.
void append_row_alternatives(const recipe& declared, const tensor_traits& traits,
                             std::vector<alternative>& list);

/// What becomes of NaN and Inf.
void append_special_alternatives(const recipe& declared, std::vector<alternative>& list);

/// The part of them that only concerns where bytes lie.
void append_storage_alternatives(const recipe& declared, std::span<const subject> subjects,
                                 std::vector<alternative>& list);

}  // namespace golden::validator
