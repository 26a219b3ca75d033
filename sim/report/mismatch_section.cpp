// SPDX-License-Identifier: Apache-2.0
// sim/report/mismatch_section.cpp: importance weights between rollout and training, and the ratio
// clips of several updates a batch. Every statement about an arm follows its figures.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sim/report/figure_text.h"
#include "sim/report/html.h"
#include "sim/report/mismatch_columns.h"
#include "sim/report/run_data.h"

namespace sim {
namespace {

constexpr std::array clip_columns{mean_column{"clipped below", "clip_ratio/low_mean"},
                                  mean_column{"clipped above", "clip_ratio/high_mean"},
                                  mean_column{"dual clip", "actor/pg_clipfrac_lower"},
                                  mean_column{"log p_old \u2212 log p", "actor/ppo_kl"}};

template <class Columns>
std::vector<std::string> head_of(const std::string& first, const Columns& columns) {
  std::vector<std::string> head{first};
  for (const mean_column& c : columns) head.emplace_back(c.head);
  return head;
}

/// An arm's means over the steps; a dash where a figure was not measured.
template <class Columns>
std::vector<std::string> means_of(const run_data& run, const std::string& arm,
                                  const Columns& columns) {
  std::vector<std::string> cells{escaped(arm)};
  for (const mean_column& c : columns) {
    const curve along = run.figures.along("train", arm, c.metric);
    cells.push_back(along.values.empty() ? "\u2013" : number_text(mean_of(along.values)));
  }
  return cells;
}

std::string extreme(const run_data& run, const std::string& arm, const char* which) {
  const curve c =
      run.figures.along("train", arm, fmt::format("sampling/importance_sampling_ratio/{}", which));
  if (c.values.empty()) return "\u2013";
  const auto [least, most] = std::ranges::minmax(c.values);
  return number_text(which == std::string_view("min") ? least : most);
}

std::string mismatch_table(const run_data& run) {
  std::vector<std::string> head = head_of("arm", mismatch_columns);
  head.insert(head.end(), {"least", "largest"});
  html_table table(head, narrow_screen::cards);
  std::vector<std::string> equal;
  for (const std::string& arm : arms_of(run, "train")) {
    if (run.figures.along("train", arm, mismatch_columns.front().metric).values.empty()) continue;
    if (measured_equal(run, arm)) {
      equal.push_back(escaped(arm));
      continue;
    }
    std::vector<std::string> cells = means_of(run, arm, mismatch_columns);
    cells.insert(cells.end(), {extreme(run, arm, "min"), extreme(run, arm, "max")});
    table.row(cells);
  }
  if (table.empty() && equal.empty()) return note("Importance weights were not measured.");
  std::string result = table.empty() ? "" : table.html();
  if (equal.empty()) return result;
  return result + paragraph(fmt::format("Measured as exactly 1 for every token of every step, with "
                                        "KL exactly 0: {}.",
                                        fmt::join(equal, ", ")));
}

std::string clip_table(const run_data& run) {
  html_table table(head_of("arm", clip_columns));
  for (const std::string& arm : arms_of(run, "train")) {
    if (run.figures.along("train", arm, clip_columns.front().metric).values.empty()) continue;
    table.row(means_of(run, arm, clip_columns));
  }
  return table.empty() ? note("Ratio clips were not measured.") : table.html();
}

std::string clips_of(const run_data& run) {
  const grpo_constants& g = run.of.grpo;
  if (g.minibatches == 1) {
    return paragraph(
        "One update a batch: the ratio refers to the very policy that is updated, so it is 1 and "
        "nothing is clipped.");
  }
  return paragraph(fmt::format(
             "{} updates a batch. Shares of tokens whose ratio to the policy before the first of "
             "them is clipped: below {} and above {}, where that limits the objective; dual clip: "
             "above {} at a negative advantage. Means over the steps.",
             g.minibatches, number_text(1 - double{g.ratio_low}),
             number_text(1 + double{g.ratio_high}), number_text(double{g.dual_clip}))) +
         clip_table(run);
}

}  // namespace

bool measured_equal(const run_data& run, const std::string& arm) {
  const auto always = [&](const char* metric, double expected) {
    const curve c = run.figures.along("train", arm, metric);
    return !c.values.empty() &&
           std::ranges::all_of(c.values, [&](double v) { return v == expected; });
  };
  return always("sampling/importance_sampling_ratio/min", 1) &&
         always("sampling/importance_sampling_ratio/max", 1) && always("rollout_corr/exact_kl", 0);
}

std::string words_of_mismatch(const study& s) {
  return fmt::format(
      "Ratio of a token's probability in training to that in the rollout, measured in every arm "
      "before a correction truncates it. Above the cap: share of tokens with a ratio above the "
      "arm's, {} where it has none of its own. Masked: share of sequences, with a product of "
      "ratios "
      "above the cap. Effective sample size: (\u2211r)\u00B2 / (n \u2211r\u00B2), 1 where all "
      "ratios "
      "are equal. k1 and k3, means of \u2212log r and of r \u2212 1 \u2212 log r, estimate the "
      "next "
      "column, KL(rollout \u2016 training) over the whole vocabulary, in nats a token.",
      number_text(double{s.grpo.importance_cap}));
}

std::string mismatch_section(const run_data& run) {
  std::string body = paragraph(words_of_mismatch(run.of) +
                               " Means over the steps, but for the least and the largest ratio.");
  body += mismatch_table(run);
  body += heading("Bias of rollouts under another arithmetic") + rollout_bias_table(run);
  body += heading("Ratio clips") + clips_of(run);
  return section("weights", "Importance weights (TIS)", body);
}

}  // namespace sim
