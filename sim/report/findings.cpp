// SPDX-License-Identifier: Apache-2.0
// sim/report/findings.cpp: sentences on the factorial, and verdicts on the claims.
#include "sim/report/findings.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/report/figure_text.h"
#include "sim/report/html.h"

namespace sim {
namespace {

bool harms_most(const std::array<estimate, 3>& values, const figure& f, std::size_t component) {
  const estimate& own = values[component];
  return rank_of(values, component) == 0 && own.value * f.harm > 0 && exceeds_two_errors(own);
}

std::string largest_effect(const std::array<estimate, 3>& values) {
  std::size_t i = 0;
  while (rank_of(values, i) != 0) ++i;
  return fmt::format("{} ({}{})", component_words[i], signed_text(values[i]),
                     exceeds_two_errors(values[i]) ? "" : ", within two standard errors");
}

}  // namespace

const std::array<claim, 3>& claims() {
  static const std::array<claim, 3> list{{
      {"Gradient",
       "scale bias drives the error of the gradient",
       0,
       {all_figures[1], all_figures[0], all_figures[2]}},
      {"Rollout quality",
       "the deadzone drives the loss of rollout quality",
       1,
       {all_figures[3], all_figures[4], all_figures[5]}},
      {"Entropy", "grid noise drives the policy's entropy", 2, {all_figures[6]}},
  }};
  return list;
}

std::optional<effects> effects_on(const metrics& m, std::string_view metric, long long outliers) {
  const auto injection = m.terms(metric, "injection", outliers);
  const auto operation = m.terms(metric, "operation", outliers);
  if (!injection || !operation) return {};
  return effects{*injection, *operation};
}

claim_verdict verdict_of(const effects& e, const figure& f, std::size_t component) {
  const bool injection = harms_most(e.injection.shapley, f, component);
  const bool operation = harms_most(e.operation.shapley, f, component);
  if (injection && operation) return claim_verdict::shown;
  if (injection || operation) return claim_verdict::depends_on_toggle;
  return claim_verdict::not_shown;
}

std::string_view words_of(claim_verdict v) {
  constexpr std::array<std::string_view, 3> words{"showed", "depends on the meaning of the toggle",
                                                  "did not show"};
  return words[static_cast<std::size_t>(v)];
}

std::string_view words_of(finding f) {
  constexpr std::array<std::string_view, 3> words{"named as a cause",
                                                  "within two standard errors under both meanings",
                                                  "depends on the meaning of the toggle"};
  return words[static_cast<std::size_t>(f)];
}

std::string culprit_sentence(const effects& e) {
  const auto findings = findings_of(e.injection.shapley, e.operation.shapley);
  if (std::ranges::all_of(findings, [](finding f) { return f == finding::within_noise; })) {
    return "No part has an effect beyond two standard errors, under either meaning of a toggle.";
  }
  const auto culprit = culprit_of(e.injection.shapley, e.operation.shapley);
  if (culprit) {
    return fmt::format("Both meanings of a toggle name {}: {} under injection, {} under operation.",
                       strong(component_words[*culprit]),
                       signed_text(e.injection.shapley[*culprit]),
                       signed_text(e.operation.shapley[*culprit]));
  }
  return fmt::format(
      "The culprit {}: the largest effect is that of {} under injection, of {} under operation.",
      strong("depends on the meaning of the toggle"), largest_effect(e.injection.shapley),
      largest_effect(e.operation.shapley));
}

}  // namespace sim
