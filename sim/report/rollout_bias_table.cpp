// SPDX-License-Identifier: Apache-2.0
// sim/report/rollout_bias_table.cpp: bias of the gradient of rollouts under another arithmetic than
// that of training, by weighting.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "sim/report/figure_text.h"
#include "sim/report/html.h"
#include "sim/report/run_data.h"

namespace sim {
namespace {

/// A weighting of tokens: what applies it, its name in the metrics and on the page.
struct weighting {
  mismatch correction;
  const char *metric, *words;
};

constexpr std::array weightings{
    weighting{mismatch::none, "none", "none"},
    weighting{mismatch::truncated_importance, "truncated_importance", "TIS"},
    weighting{mismatch::sequence_mask, "sequence_mask", "sequence mask"}};

std::optional<estimate> figure_of(const run_data& run, const std::string& arm, const char* figure,
                                  const weighting& w) {
  return run.figures.frozen(arm, fmt::format("rollout_gradient_{}.{}", figure, w.metric));
}

/// The root of a square, or its upper bound where it is not told from 0.
std::string root_cell(const std::optional<estimate>& square) {
  if (!square) return "\u2013";
  if (square->value == 0 && square->standard_error == 0) return "0";
  const double root = std::sqrt(std::max(0.0, square->value));
  if (square->value > 2 * square->standard_error) {
    return estimate_cell({root, square->standard_error / (2 * root)});
  }
  const double bound = std::max(0.0, square->value) + 2 * square->standard_error;
  return fmt::format("below {}", number_text(std::sqrt(bound)));
}

void add_rows(const run_data& run, const arm& a, html_table& table) {
  const std::string same = cell_or_dash(run.figures.frozen(a.name, "rollout_agreement"));
  for (const weighting& w : weightings) {
    const auto cell = [&](const char* figure) {
      return cell_or_dash(figure_of(run, a.name, figure, w));
    };
    table.row({escaped(a.name), a.correction == w.correction ? strong(w.words) : w.words, same,
               cell("cosine"), root_cell(figure_of(run, a.name, "bias_squared", w)),
               cell("projection"), cell("variance")});
  }
}

}  // namespace

std::string rollout_bias_table(const run_data& run) {
  html_table table({"arm", "weights", "same rollouts", "cosine", "bias", "projection", "variance"});
  for (const arm& a : run.of.arms) {
    if (run.figures.frozen(a.name, "rollout_agreement")) add_rows(run, a, table);
  }
  if (table.empty()) return note("The bias of rollouts was not measured.");
  return paragraph(
             "At frozen weights, g is the gradient of rollouts under the arm's rollout arithmetic, "
             "and r that of rollouts under its training arithmetic, which is unbiased. Both draw "
             "tokens with the same random numbers. Cosine of the expected gradients, bias "
             "|E g \u2212 E r| / |E r| and projection \u27E8E g, E r\u27E9 / |E r|\u00B2 come from "
             "inner products of disjoint parts, free of the noise of sampling. Variance: that of g "
             "between batches over r's. The arm's own weights in bold.") +
         table.html();
}

}  // namespace sim
