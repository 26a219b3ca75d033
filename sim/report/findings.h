// SPDX-License-Identifier: Apache-2.0
// sim/report/findings.h: sentences on the factorial, and verdicts on the claims.
// Source of the claims: arXiv 2605.20402 (each of the three components has its own effect).
#pragma once
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "sim/report/metrics.h"

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

/// Whether the claimed component harms the figure more than the two others do, beyond two standard
/// errors: under both meanings, under one of them, or under neither.
enum class claim_verdict { shown, depends_on_toggle, not_shown };

[[nodiscard]] claim_verdict verdict_of(const effects& e, const figure& f, std::size_t component);

/// Text for tables.
[[nodiscard]] std::string_view words_of(claim_verdict v);
[[nodiscard]] std::string_view words_of(finding f);

/// One sentence, as HTML, that names the culprit with its numbers, or reports that it depends on
/// the meaning of the toggle and names the culprit of each.
[[nodiscard]] std::string culprit_sentence(const effects& e);

}  // namespace sim
