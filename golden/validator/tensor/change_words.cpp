// SPDX-License-Identifier: Apache-2.0
// golden/validator/tensor/change_words.cpp: the words of one change, by dimension.
#include "change_words.h"

#include <algorithm>
#include <array>

#include "dimension_words.h"
#include "mx/recipe_words.h"
#include "tensor_formula.h"
#include "tensor_scale.h"

namespace golden::validator {
namespace {

/// A tensor whose stored tensor scale is not that of the declared hypothesis.
struct differing_tensor {
  const subject* tensor = nullptr;
  tensor_scale_pair scales;
};

/// The first one; an unusable one first.
std::optional<differing_tensor> differing_in(const hypothesis& declared,
                                             std::span<const subject> subjects) {
  std::optional<differing_tensor> first;
  extent_memory extents;
  for (const subject& s : subjects) {
    const auto pair = differing_scale_in(prediction(declared, s, extents));
    if (!pair || (first && !pair->is_unusable())) continue;
    first = {&s, *pair};
    if (pair->is_unusable()) break;
  }
  return first;
}

/// The formula that gives the stored tensor scales; empty where none does.
std::string written_formula(const hypothesis& declared, std::span<const subject> subjects) {
  extent_memory extents;
  for (const tensor_formula how : tensor_formulas) {
    if (is_of_whole(declared)) break;
    hypothesis r = declared;
    r.formula = how;
    const auto agrees = [&](const subject& s) {
      return prediction(r, s, extents).agrees_on_tensor_scales();
    };
    if (std::all_of(subjects.begin(), subjects.end(), agrees)) return " = " + formula_text(r);
  }
  return {};
}

/// The formula of a hypothesis's own tensor scale, whatever is written.
std::string own_formula(const hypothesis& r) {
  hypothesis own = r;
  own.above = tensor_source::computed;
  return word_of(own, dimension::tensor_scale);
}

/// Whether another formula than the declared one is found, as in a preset.
bool has_other_formula(const hypothesis& declared, const hypothesis& found) {
  return own_formula(found) != own_formula(declared);
}

std::string encoded_under_text(const hypothesis& declared, const hypothesis& found) {
  return ", but blocks are encoded under " +
         (has_other_formula(declared, found) ? own_formula(found) : "the expected one");
}

std::string found_text(const hypothesis& declared, const hypothesis& found,
                       std::span<const subject> subjects) {
  switch (found.above) {
    case tensor_source::computed:
      break;
    case tensor_source::as_stored:
      return ", as stored";
    case tensor_source::one:
      return ", and blocks are encoded under 1";
    case tensor_source::inverse_stored:
      return ", the reciprocal" +
             (has_other_formula(declared, found) ? " of " + own_formula(found) : "");
    case tensor_source::unusable:
      return ", not a positive finite number";
    case tensor_source::other_written:
      return written_formula(declared, subjects) + encoded_under_text(declared, found);
  }
  return " = " + word_of(found, dimension::tensor_scale);
}

/// What is found where no written tensor scale differs from the declared one, though their numbers
/// may.
std::string found_beside_equal(const hypothesis& declared, const hypothesis& found) {
  const bool as_many = declared.format().tensor == found.format().tensor;
  if (found.above == tensor_source::other_written && as_many) {
    return own_formula(declared) + encoded_under_text(declared, found);
  }
  return word_of(found, dimension::tensor_scale);
}

change tensor_scale_change(const hypothesis& declared, const hypothesis& found,
                           std::span<const subject> subjects) {
  constexpr dimension what = dimension::tensor_scale;
  const std::string expected = word_of(declared, what);
  const std::optional<differing_tensor> first = differing_in(declared, subjects);
  if (!first) return {name_of(what), expected, found_beside_equal(declared, found)};
  const tensor_scale_pair& scales = first->scales;
  const std::string row = scales.row > 0 ? " of row " + std::to_string(scales.row) : "";
  const std::string of = row + (subjects.size() > 1 ? " of " + first->tensor->name : "");
  using enum mx::number_type;
  return {name_of(what), expected + ", " + number_text(fp32, scales.expected_bits) + of,
          number_text(fp32, scales.found_bits) + found_text(declared, found, subjects)};
}

std::string reach_text(const hypothesis& r) {
  constexpr std::array<const char*, 9> texts{
      "amax of each block",
      "amax of its first half",
      "amax of its second half",
      "amax of its elements 0, 2, 4, ...",
      "amax of its elements 1, 3, 5, ...",
      "amax of all but its first element",
      "amax of all but its last element",
      "amax of its positive elements",
      "amax of each half for its own elements, with the first one's scale written"};
  return texts[static_cast<std::size_t>(r.amax)];
}

/// The order of storage alone, where the axis is the same.
std::string order_text(const hypothesis& r) {
  constexpr std::array<const char*, 3> texts{"stored as the input is", "stored with the axis last",
                                             "stored with the axis first"};
  return texts[static_cast<std::size_t>(r.order)];
}

}  // namespace

change change_of(dimension what, const hypothesis& declared, const hypothesis& found,
                 std::span<const subject> subjects) {
  if (what == dimension::variant && is_of_whole(declared)) {
    return {name_of(what), mx::format_word(declared.recipe), mx::format_word(found.recipe)};
  }
  if (what == dimension::tensor_scale) return tensor_scale_change(declared, found, subjects);
  if (what == dimension::block_axis && declared.axis == found.axis) {
    return {name_of(what), order_text(declared), order_text(found)};
  }
  if (what == dimension::scale_rule && declared.amax != found.amax) {
    return {name_of(what), reach_text(declared), reach_text(found)};
  }
  return {name_of(what), word_of(declared, what), word_of(found, what)};
}

}  // namespace golden::validator
