// SPDX-License-Identifier: Apache-2.0
// sim/report/findings.cpp: sentences on the factorial, and verdicts on the claims.
#include "sim/report/findings.h"

#include <fmt/format.h>

#include "sim/report/figure_text.h"
#include "sim/report/html.h"

namespace sim {
namespace {

/// "scale bias (+0.049 \u00B1 0.004)"
std::string named_effect(const factorial<estimate>& f, std::size_t component) {
  return fmt::format("{} ({})", component_words[component], signed_text(f.shapley[component]));
}

std::string disagreement(const effects& e, const culprit& c) {
  const std::string begin = strong("The meanings of a toggle disagree") + ": ";
  if (c.injection && c.operation) {
    return begin + fmt::format("injection names {}, operation names {}.",
                               named_effect(e.injection, *c.injection),
                               named_effect(e.operation, *c.operation));
  }
  return c.injection ? begin + fmt::format("injection names {}, operation excludes it ({}).",
                                           named_effect(e.injection, *c.injection),
                                           signed_text(e.operation.shapley[*c.injection]))
                     : begin + fmt::format("operation names {}, injection excludes it ({}).",
                                           named_effect(e.operation, *c.operation),
                                           signed_text(e.injection.shapley[*c.operation]));
}

std::string unresolved(const effects& e, const culprit& c) {
  const std::string begin = strong("Not resolved") + ": ";
  if (c.injection) {
    return begin + fmt::format("injection names {}; operation leaves it open.",
                               named_effect(e.injection, *c.injection));
  }
  if (c.operation) {
    return begin + fmt::format("operation names {}; injection leaves it open.",
                               named_effect(e.operation, *c.operation));
  }
  return begin + "under neither meaning does the effect of one part exceed those of both others.";
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
  const auto shown = [&](const factorial<estimate>& meaning) {
    return harms_most(meaning.shapley, component, f.harm, margin_of(meaning.total));
  };
  const showing injection = shown(e.injection);
  return {agreement_of(injection, shown(e.operation)), injection};
}

std::string_view words_of(agreement a) {
  constexpr std::array<std::string_view, 3> words{"agree", "disagree", "not resolved"};
  return words[static_cast<std::size_t>(a)];
}

std::string_view words_of(const claim_verdict& v) {
  const bool refuted = v.verdict == agreement::agree && v.found == showing::refuted;
  return refuted ? "agree: refuted" : words_of(v.verdict);
}

std::string culprit_sentence(const effects& e) {
  const culprit c = culprit_of(e.injection, e.operation);
  if (c.verdict == agreement::disagree) return disagreement(e, c);
  if (c.verdict == agreement::not_resolved) return unresolved(e, c);
  return fmt::format("Both meanings of a toggle name {}: {} under injection, {} under operation.",
                     strong(component_words[*c.injection]),
                     signed_text(e.injection.shapley[*c.injection]),
                     signed_text(e.operation.shapley[*c.injection]));
}

std::string culprit_words(const effects& e) {
  const culprit c = culprit_of(e.injection, e.operation);
  const std::string verdict(words_of(c.verdict));
  if (c.verdict == agreement::agree) return verdict + ": " + component_words[*c.injection];
  const auto name = [](std::optional<std::size_t> part) {
    return part ? component_words[*part] : "none";
  };
  if (!c.injection && !c.operation) return verdict;
  return fmt::format("{}: {} / {}", verdict, name(c.injection), name(c.operation));
}

}  // namespace sim
