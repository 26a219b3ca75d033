// SPDX-License-Identifier: Apache-2.0
// sim/study/format_rules.h: which linears a format_rule is about, by their names, and the format
// that a pass has at a linear.
#pragma once
#include <string>
#include <vector>

#include "sim/study/linear.h"
#include "sim/study/study.h"

namespace sim {

/// The linears whose whole names a regular expression of RE2 matches, by place_of.
///   errors  std::invalid_argument with a sentence: not an expression; no linear matches; or it
///           names some of the linears that share an X, and not all
[[nodiscard]] std::vector<bool> linears_named(const std::string& expression,
                                              const policy_shape& shape);

/// Index of a linear among those of all layers, which have so many each.
[[nodiscard]] constexpr std::size_t place_of(const product_place& at, std::size_t linears_a_layer) {
  return static_cast<std::size_t>(at.layer) * linears_a_layer + at.index();
}

/// The first rule about an operand of a pass; null if there is none.
[[nodiscard]] const format_rule* rule_for(const std::vector<format_rule>& rules, pass p,
                                          operand_role role, const product_place& at) noexcept;

/// The operand of a pass that another one is: of forward, where the pass has that, else itself.
struct operand_origin {
  sim::pass pass;
  operand_role role;
};
[[nodiscard]] operand_origin origin_of(const pass_format& f, pass p, operand_role role) noexcept;

/// The format of a pass at a linear, with that of a rule, or of the exempt products; it has neither
/// itself.
[[nodiscard]] pass_format format_at(const pass_format& f, pass p, const product_place& at);

}  // namespace sim
