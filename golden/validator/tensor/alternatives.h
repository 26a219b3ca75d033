// SPDX-License-Identifier: Apache-2.0
// golden/validator/tensor/alternatives.h: alternative kernel behaviour in each dimension, one value
// each.
#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "golden/validator/dimension.h"
#include "prediction.h"

namespace golden::validator {

/// Whether a change is also tried together with others, or only alone because it is one of many.
enum class company : std::uint8_t { any, alone };

/// One change of a recipe.
struct alternative {
  dimension what = dimension::variant;
  std::function<void(hypothesis&)> apply;
  company with = company::any;
};

/// Rows at the end of an output whose codes are one repeated byte.
///   codes   that byte
///   scales  the byte of all their scales; no value where they differ
struct constant_rows {
  std::uint64_t rows = 0;
  std::uint8_t codes = 0;
  std::optional<std::uint8_t> scales;
};

/// Properties of a tensor that exclude changes without effect.
struct tensor_traits {
  bool special = false;             ///< NaN or Inf in the input
  std::uint64_t zero_elements = 0;  ///< at the end of the axis, all codes 0 in the file
  constant_rows tail;               ///< at the end of the file
};

using alternative_list = std::vector<alternative>;

/// Adds a change of one habit.
template <class Value>
void add(alternative_list& list, dimension what, Value habits::*habit,
         const std::type_identity_t<Value>& value) {
  list.push_back({what, [=](hypothesis& r) { r.*habit = value; }});
}

/// Changes of a declared hypothesis, likely ones first.
[[nodiscard]] alternative_list alternatives_of(const hypothesis& declared,
                                               std::span<const subject> subjects,
                                               const tensor_traits& traits);

/// Other formulas of tensor scales.
void append_formula_alternatives(const hypothesis& declared, alternative_list& list);

/// More of them: formulas of tensor scales; and what probes do not distinguish: any other number
/// beside blocks that are as declared, a preset's rounding of elements, the largest magnitude of a
/// part of a block, scales an exponent away, the largest code lost, moved codes, quotients in 16
/// bits, subnormal inputs flushed to +0.
void append_further_alternatives(const hypothesis& declared, alternative_list& list);

/// Corrections and passes left out.
void append_correction_alternatives(const hypothesis& declared, alternative_list& list);

/// Other presets, and none.
void append_preset_alternatives(const hypothesis& declared, alternative_list& list);

/// Other sources of random bits, where the declared rounding is, or may be, stochastic.
void append_random_alternatives(const hypothesis& declared, std::span<const subject> subjects,
                                alternative_list& list);

/// Scales that several blocks share, and unwritten rows.
void append_row_alternatives(const hypothesis& declared, const tensor_traits& traits,
                             alternative_list& list);

/// Other treatment of NaN and Inf.
void append_special_alternatives(const hypothesis& declared, alternative_list& list);

/// Other sources of tensor scales, and other bounds.
void append_tensor_scale_alternatives(const hypothesis& declared, std::span<const subject> subjects,
                                      alternative_list& list);

/// The changes that only concern where bytes are stored.
void append_storage_alternatives(const hypothesis& declared, std::span<const subject> subjects,
                                 alternative_list& list);

}  // namespace golden::validator
