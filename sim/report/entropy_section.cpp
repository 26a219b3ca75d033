// SPDX-License-Identifier: Apache-2.0
// sim/report/entropy_section.cpp: entropy along training, and at matched reward.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/report/figure_text.h"
#include "sim/report/html.h"
#include "sim/report/repeated_arms.h"
#include "sim/report/run_data.h"
#include "sim/report/small_multiples.h"

namespace sim {
namespace {

/// Reward and entropy.
paired_curves paired(const run_data& run, const std::string& arm) {
  return at_common_steps(run.figures.along("train", arm, "reward"),
                         run.figures.along("train", arm, "entropy"));
}

/// Smallest and largest five-step mean of the reward of plain MXFP4, or of the reference where
/// MXFP4 was not trained; no value without such means.
std::optional<std::pair<double, double>> range_of_rewards(const run_data& run) {
  for (const char* arm : {"mxfp4", "fp32"}) {
    std::vector<double> means = trailing_means(paired(run, arm).first.values, matched_steps);
    std::erase_if(means, [](double v) { return !std::isfinite(v); });
    if (means.empty()) continue;
    const auto [low, high] = std::minmax_element(means.begin(), means.end());
    return std::pair{*low, *high};
  }
  return {};
}

/// Round rewards in that range.
axis_ticks levels_in(const std::pair<double, double>& range) {
  axis_ticks levels = ticks_between(range.first, range.second, 6);
  std::erase_if(levels.places, [&](double v) { return v < range.first || v > range.second; });
  return levels;
}

/// An arm's entropy where its reward first reaches each of many levels: one value a level, while
/// the reward itself goes up and down.
curve_line by_reward(const paired_curves& curves, const std::pair<double, double>& range) {
  constexpr int levels = 40;
  curve_line line;
  for (int i = 0; i <= levels; ++i) {
    const double level = range.first + (range.second - range.first) * i / levels;
    const auto entropy = entropy_at_reward(curves.first.values, curves.second.values, level);
    if (!entropy) continue;
    line.x.push_back(level);
    line.y.push_back(*entropy);
  }
  return line;
}

/// A row an arm that reaches a level from below, without levels that none does.
class matched_table {
 public:
  matched_table(const run_data& run, const axis_ticks& levels) : levels_(levels) {
    for (const std::string& arm : arms_of(run, "train")) add(arm, paired(run, arm));
  }

  [[nodiscard]] bool empty() const { return rows_.empty(); }

  [[nodiscard]] std::string html() const {
    std::vector<std::string> head{"arm"};
    for (const std::size_t i : reached()) {
      head.push_back("at " + number_text(levels_.places[i], levels_.decimals));
    }
    html_table table(head);
    for (const auto& [arm, values] : rows_) {
      std::vector<std::string> texts{escaped(arm)};
      for (const std::size_t i : reached()) {
        texts.push_back(values[i] ? number_text(*values[i], 3) : "\u2013");
      }
      table.row(texts);
    }
    if (none_.empty()) return table.html();
    return table.html() + note(fmt::format("No level is reached from below by {}.",
                                           escaped(fmt::format("{}", fmt::join(none_, ", ")))));
  }

 private:
  using values_by_level = std::vector<std::optional<double>>;

  void add(const std::string& arm, const paired_curves& curves) {
    values_by_level values;
    for (const double level : levels_.places) {
      values.push_back(entropy_at_reward(curves.first.values, curves.second.values, level));
    }
    const bool any = std::ranges::any_of(values, [](const auto& v) { return v.has_value(); });
    if (any)
      rows_.emplace_back(arm, std::move(values));
    else
      none_.push_back(arm);
  }

  [[nodiscard]] std::vector<std::size_t> reached() const {
    std::vector<std::size_t> result;
    for (std::size_t i = 0; i < levels_.places.size(); ++i) {
      const auto has = [i](const auto& row) { return row.second[i].has_value(); };
      if (std::ranges::any_of(rows_, has)) result.push_back(i);
    }
    return result;
  }

  const axis_ticks& levels_;
  std::vector<std::pair<std::string, values_by_level>> rows_;
  std::vector<std::string> none_;
};

std::string matched_entropy(const run_data& run) {
  const auto range = range_of_rewards(run);
  if (!range) return note("Fewer than five training steps: no five-step means to match.");
  const axis_ticks levels = levels_in(*range);
  const matched_table table(run, levels);
  if (table.empty()) {
    return note(
        "No arm's mean reward of five steps reaches a common level from below, so there is no "
        "reward to match entropies at.");
  }
  return paragraph(
             "Entropy falls as reward rises, so a slower arm has more entropy at the same step. "
             "Compared at the same reward, what is left is the arm's own. Both are means of five "
             "steps; entropy is interpolated linearly where the mean reward first reaches a level. "
             "A dash: the level was not reached, or passed from the start.") +
         small_multiples(
             without(groups_of(run, "train"), repeated_training(run)),
             {"reward, mean of 5 steps", "entropy, mean of 5 steps", "No reward to match."},
             [&](const std::string& arm) { return by_reward(paired(run, arm), *range); }) +
         table.html();
}

}  // namespace

std::string entropy_section(const run_data& run) {
  const auto own = [&](const std::string& arm) {
    return line_of(run.figures.along("train", arm, "entropy"));
  };
  std::string body = heading("Entropy on own rollouts");
  body += note(
      "Of the distributions that an arm's training rollouts were drawn from, under adaptive noise "
      "where the arm has it.");
  body += small_multiples(
      without(groups_of(run, "train"), repeated_training(run)),
      {"training step", "entropy, nats a token", "Entropy on own rollouts was not measured."}, own);
  body += heading("Entropy at matched reward") + matched_entropy(run);
  return section("entropy", "Entropy along training", body);
}

}  // namespace sim
