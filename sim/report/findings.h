// SPDX-License-Identifier: Apache-2.0
// sim/report/findings.h: sentences on the factorial, and verdicts on the claims.
// Source of the claims: arXiv 2605.20402 (each of the three components has its own effect).
#pragma once
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "sim/report/metrics.h"
#include "sim/study/agreement.h"

namespace sim {

inline constexpr std::array<const char*, 3> component_words{"scale bias", "deadzone", "grid noise"};

/// A figure of the factorial.
struct figure {
  std::string_view metric, words;
  int harm;  ///< +1 where more is worse, -1 where less is
};

inline constexpr std::array<figure, 7> all_figures{{
    {"gradient_cosine_backward", "gradient cosine, backward passes alone", -1},
    {"gradient_cosine", "gradient cosine, all passes", -1},
    {"gradient_projection", "gradient projection, all passes", -1},
    {"kl", "KL to FP32, nats a token", +1},
    {"accuracy_sampled", "sampled accuracy", -1},
    {"accuracy_greedy", "greedy accuracy", -1},
    {"entropy", "entropy on the same prefixes, nats a token", +1},
}};

/// One of the paper's three claims, and the figures that would show it; the first one decides.
struct claim {
  std::string_view topic, words;
  std::size_t component;
  std::vector<figure> figures;
};

[[nodiscard]] const std::array<claim, 3>& claims();

/// A figure's Shapley values under both meanings.
struct effects {
  factorial<estimate> injection, operation;
};

[[nodiscard]] std::optional<effects> effects_on(const metrics& m, std::string_view metric,
                                                long long outliers);

/// Whether the claimed component harms the figure more than each of the others.
///   found  what both meanings show, where they agree
struct claim_verdict {
  agreement verdict;
  showing found;
};

[[nodiscard]] claim_verdict verdict_of(const effects& e, const figure& f, std::size_t component);

/// "agree", "disagree", "not resolved"; "agree: refuted" of a claim that neither meaning bears out.
[[nodiscard]] std::string_view words_of(agreement a);
[[nodiscard]] std::string_view words_of(const claim_verdict& v);

/// One sentence, as HTML, on the component with the largest effect under both meanings.
[[nodiscard]] std::string culprit_sentence(const effects& e);
/// The same in a few words: "agree: scale bias".
[[nodiscard]] std::string culprit_words(const effects& e);

}  // namespace sim
