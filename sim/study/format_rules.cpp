// SPDX-License-Identifier: Apache-2.0
// sim/study/format_rules.cpp: see format_rules.h. RE2 takes time linear in a name, whatever the
// expression.
#include "sim/study/format_rules.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <stdexcept>

namespace sim {
namespace {

/// Names of some linears, for messages.
std::string names_of(const policy_shape& shape) {
  const std::vector<product_place> first = linears_of(shape, 0);
  return fmt::format("\"{}\" to \"{}\"", name_of(shape, first.front()),
                     name_of(shape, linears_of(shape, shape.layers - 1).back()));
}

/// q, k and v of a layer, or gate and up, are products of one X.
void check_shared_inputs(const std::string& expression, const policy_shape& shape,
                         const std::vector<bool>& matches) {
  for (int layer = 0; layer < shape.layers; ++layer) {
    const std::vector<product_place> linears = linears_of(shape, layer);
    for (const product_place& at : linears) {
      const product_place owner = owner_of_input(at);
      if (matches[place_of(at, linears.size())] == matches[place_of(owner, linears.size())])
        continue;
      throw std::invalid_argument(
          fmt::format("\"{}\" matches one of \"{}\" and \"{}\", which share their X; name {}",
                      expression, name_of(shape, owner), name_of(shape, at),
                      is_of_experts(at.which) ? "both of gate_proj and up_proj, or neither"
                                              : "all of q_proj, k_proj and v_proj, or none"));
    }
  }
}

}  // namespace

std::vector<bool> linears_named(const std::string& expression, const policy_shape& shape) {
  const re2::RE2 names(expression, re2::RE2::Quiet);
  if (!names.ok()) {
    throw std::invalid_argument(
        fmt::format("\"{}\" is not a regular expression of RE2: {}", expression, names.error()));
  }
  std::vector<bool> matches;
  for (int layer = 0; layer < shape.layers; ++layer) {
    for (const product_place& at : linears_of(shape, layer)) {
      matches.push_back(re2::RE2::FullMatch(name_of(shape, at), names));
    }
  }
  if (std::ranges::find(matches, true) == matches.end()) {
    throw std::invalid_argument(fmt::format(
        "\"{}\" matches the whole name of no linear; they are {}", expression, names_of(shape)));
  }
  check_shared_inputs(expression, shape, matches);
  return matches;
}

const format_rule* rule_for(const std::vector<format_rule>& rules, pass p, operand_role role,
                            const product_place& at) noexcept {
  for (const format_rule& rule : rules) {
    const bool concerned =
        rule.passes[static_cast<std::size_t>(p)] && rule.operands[static_cast<std::size_t>(role)];
    if (concerned && rule.matches[place_of(at, rule.linears_a_layer)]) return &rule;
  }
  return nullptr;
}

operand_origin origin_of(const pass_format& f, pass p, operand_role role) noexcept {
  const bool own = role == operand_role::data || f.source == operand_source::own;
  if (own) return {p, role};
  return {pass::forward, p == pass::wgrad ? operand_role::data : role};
}

namespace {

bool is_exempt(const exempt_products& e, const product_place& at) noexcept {
  const layer_part part =
      is_of_experts(at.which) ? layer_part::feed_forward : layer_part::attention;
  return at.layer < e.first || (e.last > 0 && at.layer >= e.layers - e.last) || part == e.part;
}

const format_rule* rule_for(const pass_format& f, pass p, operand_role role,
                            const product_place& at) noexcept {
  const operand_origin from = origin_of(f, p, role);
  return rule_for(f.rules, from.pass, from.role, at);
}

}  // namespace

pass_format format_at(const pass_format& f, pass p, const product_place& at) {
  const bool exempt = is_exempt(f.exempt, at);
  const format_rule *data = rule_for(f, p, operand_role::data, at),
                    *other = rule_for(f, p, operand_role::other, at);
  pass_format here{f.data, f.other, f.source};
  here.sequences = f.sequences;
  if (exempt) here.data = here.other = f.exempt.format;
  if (data != nullptr) here.data = data->format;
  if (other != nullptr) here.other = other->format;
  if (exempt || data != nullptr || other != nullptr) return here;
  here.model = f.model;
  here.rotation = f.rotation;
  return here;
}

}  // namespace sim
