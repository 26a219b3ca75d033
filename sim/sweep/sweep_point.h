// SPDX-License-Identifier: Apache-2.0
// sim/sweep/sweep_point.h: a point of a sweep: the words of its fields, and what they mean.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mx/dot/gemm.h"
#include "mx/tensor/operand.h"
#include "sim/sweep/gate_table.h"

namespace sim {

/// Axes of a recipe, and `model`; further ones are sum_field_names().
///   format   whole, as --format; or element, scale, block and tensor, each by itself
///   mbs, of, gain, rotate, double   corrections of either, as in the format's word; "none",
///                                   "false"
inline constexpr std::array<std::string_view, 17> recipe_axes{
    "format",   "element",  "scale",       "block",       "tensor",  "mbs",
    "of",       "gain",     "rotate",      "double",      "variant", "scale_rule",
    "rounding", "byte_map", "random_bits", "random_seed", "model"};

/// Words of the fields that a point has, in the order of axis_names().
using point_words = std::vector<std::pair<std::string, std::string>>;

/// The word of a field; null if the point lacks it.
[[nodiscard]] const std::string* word_at(const point_words& words, std::string_view name);

/// A point that can be measured.
///   name   for tables: format, rule, and what differs from the defaults and from the model
///   plan   of a product; none without a model
struct sweep_point {
  point_words words;
  std::string name, key;
  mx::operand operand;
  std::optional<mx::gemm_plan> plan;
  double bits = 0;
  std::optional<gate_figure> gates;

  [[nodiscard]] const mx::recipe& recipe() const { return operand.recipe; }
  /// One of sweep_costs (sim/sweep/sweep_study.h); gates and depth only where there are `gates`.
  [[nodiscard]] std::optional<double> cost(std::string_view of) const;
};

/// A point, or why it makes no sense, as a sentence with the remedy.
struct resolved_point {
  std::optional<sweep_point> point;
  std::string refusal;
};

[[nodiscard]] resolved_point resolved(point_words words);

/// The word of a field; of one that the point does not name, the word that its recipe or its
/// product has, "none" or "false" where these lack it.
[[nodiscard]] std::string value_at(const sweep_point& p, std::string_view field);

}  // namespace sim
