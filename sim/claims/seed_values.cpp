// SPDX-License-Identifier: Apache-2.0
// sim/claims/seed_values.cpp: see seed_values.h.
#include "sim/claims/seed_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/report/divergences.h"

namespace sim {
namespace {

constexpr std::array<std::string_view, 3> shapley_names{"shapley.S", "shapley.D", "shapley.G"};

/// The row of an arm, as in the file: "phase train, arm mbs, metric reward, step 40".
std::string words_of(const chosen_metric& m, const std::string& arm) {
  std::string text = fmt::format("phase '{}', arm '{}', metric '{}'", m.phase, arm, m.metric);
  if (m.step) text += fmt::format(", step {}", *m.step);
  if (m.phase == "frozen") text += fmt::format(", outliers {}", m.outliers);
  if (!m.passes.empty()) text += fmt::format(", passes '{}'", m.passes);
  if (!m.layer.empty()) text += fmt::format(", layer '{}'", m.layer);
  return text;
}

bool matches(const metric_row& row, const chosen_metric& m) {
  return row.passes == m.passes && row.layer == m.layer && (!m.step || row.step == *m.step) &&
         (m.phase != "frozen" || row.outliers.value_or(1) == m.outliers);
}

class reader_of_seed {
 public:
  reader_of_seed(const claims_plan& plan, const seed_metrics& seed) : plan_(plan), seed_(seed) {}

  [[nodiscard]] double contrast(const linear_contrast& c, const chosen_metric& m,
                                const toggle_meaning* meaning) const {
    double sum = 0;
    for (const contrast_term& t : c.terms) sum += t.weight * term(t.of, m, meaning);
    return m.factor * sum;
  }

 private:
  [[nodiscard]] double term(const std::string& of, const chosen_metric& m,
                            const toggle_meaning* meaning) const {
    const auto part = std::ranges::find(shapley_names, of);
    if (part == shapley_names.end()) return figure(m, of);
    std::array<double, cells> figures{};
    for (std::size_t c = 0; c < cells; ++c) figures[c] = figure(m, meaning->arms[c]);
    return factorial_of(figures).shapley[static_cast<std::size_t>(part - shapley_names.begin())];
  }

  [[nodiscard]] double figure(const chosen_metric& m, const std::string& arm) const {
    const metric_row* found = nullptr;
    for (const metric_row* row : seed_.figures.rows_of(m.phase, arm, m.metric)) {
      if (!matches(*row, m)) continue;
      if (found != nullptr) fail(m, arm, "more than one row has it; give step, passes or layer");
      found = row;
    }
    if (m.diverged && is_lost(m, arm, found)) return *m.diverged;
    if (found != nullptr && std::isfinite(found->value)) {
      if (!is_behind_divergence(m, arm, *found)) return found->value;
      fail(m, arm, "the arm diverged before; the key diverged says what that counts as");
    }
    if (found == nullptr) fail(m, arm, "no row has it; is the key of the claims file right?");
    fail(m, arm, "its value is not finite; did the arm diverge? The key diverged counts it");
  }

  /// Whether the row is none of a measurement: from the step at which an arm diverged on, rows of
  /// its training are zeros.
  [[nodiscard]] bool is_behind_divergence(const chosen_metric& m, const std::string& arm,
                                          const metric_row& row) const {
    const auto marks = seed_.figures.rows_of("train", arm, diverged_metric);
    return m.phase == "train" && !marks.empty() && row.step && *marks.front()->step <= *row.step;
  }

  /// Whether an arm that diverged lacks the row's figure.
  [[nodiscard]] bool is_lost(const chosen_metric& m, const std::string& arm,
                             const metric_row* row) const {
    if (seed_.figures.rows_of("train", arm, diverged_metric).empty()) return false;
    return row == nullptr || !std::isfinite(row->value) || is_behind_divergence(m, arm, *row);
  }

  [[noreturn]] void fail(const chosen_metric& m, const std::string& arm, const char* why) const {
    throw report_error("{}: metric '{}' of the claims ({}): {}", seed_.source, m.name,
                       words_of(m, arm), why);
  }

  const claims_plan& plan_;
  const seed_metrics& seed_;
};

measured_contrast measured(const claims_plan& plan, const std::vector<seed_metrics>& seeds,
                           const stated_claim& claim, std::size_t index,
                           const toggle_meaning* meaning) {
  const claim_contrast& c = claim.contrasts[index];
  measured_contrast result{index, c.expected, meaning == nullptr ? "" : meaning->name, {}, {}};
  const chosen_metric& metric = plan.metrics[c.metric];
  for (const seed_metrics& s : seeds) {
    if (s.study != metric.study) continue;
    const reader_of_seed from(plan, s);
    result.values.push_back(from.contrast(c.of, metric, meaning));
    if (!c.margin) continue;
    const auto& margin = c.margin->contrast;
    result.margins.push_back(margin ? from.contrast(*margin, metric, meaning) : c.margin->number);
  }
  return result;
}

std::vector<measured_contrast> measured(const claims_plan& plan,
                                        const std::vector<seed_metrics>& seeds,
                                        const stated_claim& claim) {
  std::vector<const toggle_meaning*> meanings{nullptr};
  if (needs_meaning(claim)) {
    meanings.clear();
    for (const toggle_meaning& m : plan.meanings) meanings.push_back(&m);
  }
  std::vector<measured_contrast> all;
  for (const toggle_meaning* meaning : meanings) {
    for (std::size_t i = 0; i < claim.contrasts.size(); ++i) {
      all.push_back(measured(plan, seeds, claim, i, meaning));
    }
  }
  return all;
}

}  // namespace

std::vector<std::vector<measured_contrast>> values_of(const claims_plan& plan,
                                                      const std::vector<seed_metrics>& seeds) {
  std::vector<std::vector<measured_contrast>> result;
  for (const stated_claim& claim : plan.claims) {
    result.push_back(measured(plan, seeds, claim));
  }
  return result;
}

}  // namespace sim
