// SPDX-License-Identifier: Apache-2.0
// sim/study/agreement.cpp: see agreement.h.
#include "sim/study/agreement.h"

#include <cmath>

namespace sim {
namespace {

/// a - b, with an error that the true one never exceeds.
estimate difference(const estimate& a, const estimate& b) {
  return {a.value - b.value, a.standard_error + b.standard_error};
}

bool is_shown(const estimate& e, int sign) { return e.value * sign > 0 && exceeds_two_errors(e); }

int sign_of(const estimate& total) { return total.value > 0 ? 1 : -1; }

/// Whether the component harms most, where harm is the direction of the whole effect.
showing leads(const factorial<estimate>& f, std::size_t component) {
  if (!exceeds_two_errors(f.total)) return showing::open;
  return harms_most(f.shapley, component, sign_of(f.total), margin_of(f.total));
}

std::optional<std::size_t> leader_of(const factorial<estimate>& f) {
  for (std::size_t i = 0; i < f.shapley.size(); ++i) {
    if (leads(f, i) == showing::shown) return i;
  }
  return {};
}

}  // namespace

double margin_of(const estimate& total) {
  return exceeds_two_errors(total) ? negligible_share * std::abs(total.value) : 0;
}

effect_state state_of(const estimate& e, double margin) {
  if (std::abs(e.value) + 2 * e.standard_error < margin) return effect_state::negligible;
  if (is_shown(e, +1)) return effect_state::raises;
  return is_shown(e, -1) ? effect_state::lowers : effect_state::open;
}

showing harms_most(const three_effects& effects, std::size_t component, int harm, double margin) {
  const estimate& own = effects[component];
  if (state_of(own, margin) == effect_state::negligible) return showing::refuted;
  if (is_shown(own, -harm)) return showing::refuted;
  bool largest = is_shown(own, harm);
  for (std::size_t i = 0; i < effects.size(); ++i) {
    if (i == component) continue;
    if (is_shown(difference(effects[i], own), harm)) return showing::refuted;
    largest = largest && is_shown(difference(own, effects[i]), harm);
  }
  return largest ? showing::shown : showing::open;
}

agreement agreement_of(effect_state injection, effect_state operation) {
  if (injection == effect_state::open || operation == effect_state::open) {
    return agreement::not_resolved;
  }
  return injection == operation ? agreement::agree : agreement::disagree;
}

agreement agreement_of(showing injection, showing operation) {
  if (injection == showing::open || operation == showing::open) return agreement::not_resolved;
  return injection == operation ? agreement::agree : agreement::disagree;
}

culprit culprit_of(const factorial<estimate>& injection, const factorial<estimate>& operation) {
  culprit c{{}, leader_of(injection), leader_of(operation)};
  const auto named = c.injection ? c.injection : c.operation;
  c.verdict = named ? agreement_of(leads(injection, *named), leads(operation, *named))
                    : agreement::not_resolved;
  return c;
}

}  // namespace sim
