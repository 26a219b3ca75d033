// SPDX-License-Identifier: Apache-2.0
// sim/report/training_section.cpp: learning curves, entropy, and entropy at matched reward.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/report/chart.h"
#include "sim/report/divergences.h"
#include "sim/report/figure_text.h"
#include "sim/report/html.h"
#include "sim/report/run_data.h"

namespace sim {
namespace {

/// Style of an arm within its group: the reference and MXFP4 have fixed ones on the whole page.
int style_of(const arm_group& group, std::size_t place) {
  if (group.arms[place] == "fp32") return 0;
  if (group.arms[place] == "mxfp4") return 1;
  std::size_t others = 0;
  for (std::size_t i = 0; i < place; ++i) {
    if (group.arms[i] != "fp32" && group.arms[i] != "mxfp4") ++others;
  }
  return 2 + static_cast<int>(others % (styles - 2));
}

/// Trailing mean over five steps.
curve smoothed(const curve& c) {
  curve result{{}, trailing_means(c.values, matched_steps)};
  const std::size_t first = c.steps.size() - result.values.size();
  result.steps.assign(c.steps.begin() + static_cast<std::ptrdiff_t>(first), c.steps.end());
  return result;
}

/// Reward and entropy at the steps that have both.
struct paired_curves {
  std::vector<double> reward, entropy;
};

paired_curves paired(const run_data& run, const std::string& arm) {
  const curve reward = run.figures.along("train", arm, "reward");
  const curve entropy = run.figures.along("train", arm, "entropy");
  paired_curves result;
  for (std::size_t i = 0, j = 0; i < reward.steps.size() && j < entropy.steps.size();) {
    if (reward.steps[i] == entropy.steps[j]) {
      result.reward.push_back(reward.values[i++]);
      result.entropy.push_back(entropy.values[j++]);
    } else if (reward.steps[i] < entropy.steps[j]) {
      ++i;
    } else {
      ++j;
    }
  }
  return result;
}

/// One panel a group, all with the same axes.
template <class CurveOf>
std::string small_multiples(const run_data& run, const std::string& x_label,
                            const std::string& y_label, curve_line::points marks, CurveOf curve_of,
                            const std::string& otherwise) {
  std::vector<curve_chart> charts;
  for (const arm_group& group : groups_of(run, "train")) {
    curve_chart chart{group.title, x_label, y_label, {}, {}, {}};
    for (std::size_t i = 0; i < group.arms.size(); ++i) {
      const curve c = curve_of(group.arms[i]);
      if (c.values.empty()) continue;
      chart.lines.push_back({group.arms[i], style_of(group, i), c.steps, c.values, marks});
    }
    if (!chart.lines.empty()) charts.push_back(std::move(chart));
  }
  if (charts.empty()) return note(otherwise);
  const auto x_range = x_range_of(charts), y_range = y_range_of(charts);
  std::vector<std::string> drawn;
  for (curve_chart& chart : charts) {
    chart.x_range = x_range;
    chart.y_range = y_range;
    drawn.push_back(draw(chart));
  }
  return panels(drawn);
}

std::string first_and_last(const curve& c) {
  if (c.values.empty()) return "\u2013";
  return fmt::format("{} \u2192 {}", number_text(c.values.front(), 3),
                     number_text(c.values.back(), 3));
}

std::string mean_or_dash(const curve& c, int decimals) {
  return c.values.empty() ? "\u2013" : number_text(mean_of(c.values), decimals);
}

/// "of", "of, diverged at step 7"
std::string marked_name(const run_data& run, const std::string& arm) {
  const auto step = divergence_of(run.figures, arm);
  return step ? fmt::format("{}, diverged at step {}", escaped(arm), *step) : escaped(arm);
}

std::string outcome_table(const run_data& run) {
  html_table table({"arm", "mean reward", "of FP32's", "sampled accuracy", "greedy accuracy",
                    "entropy, first \u2192 last step", "groups without spread", "gradient norm"});
  const double reference = mean_of(run.figures.along("train", "fp32", "reward").values);
  for (const std::string& arm : arms_of(run, "train")) {
    const auto along = [&](const char* metric) { return run.figures.along("train", arm, metric); };
    const curve reward = along("reward");
    const bool comparable = reference > 0 && !reward.values.empty();
    table.row({marked_name(run, arm), mean_or_dash(reward, 3),
               comparable ? number_text(mean_of(reward.values) / reference, 2) : "\u2013",
               first_and_last(along("accuracy_sampled")), first_and_last(along("accuracy_greedy")),
               first_and_last(along("entropy")), mean_or_dash(along("frac_reward_zero_std"), 2),
               mean_or_dash(along("grad_norm"), 3)});
  }
  return table.html();
}

/// Round rewards between the smallest and the largest five-step mean of plain MXFP4, or of the
/// reference where MXFP4 was not trained.
axis_ticks levels_of(const run_data& run) {
  for (const char* arm : {"mxfp4", "fp32"}) {
    std::vector<double> means = trailing_means(paired(run, arm).reward, matched_steps);
    std::erase_if(means, [](double v) { return !std::isfinite(v); });
    if (means.empty()) continue;
    const auto [low, high] = std::minmax_element(means.begin(), means.end());
    axis_ticks levels = ticks_between(*low, *high, 6);
    std::erase_if(levels.places, [&, l = *low, h = *high](double v) { return v < l || v > h; });
    return levels;
  }
  return {};
}

std::string matched_table(const run_data& run) {
  const axis_ticks levels = levels_of(run);
  if (levels.places.empty()) return note("Too few steps for entropy at matched reward.");
  std::vector<std::string> head{"arm"};
  for (const double level : levels.places) {
    head.push_back("at " + number_text(level, levels.decimals));
  }
  html_table table(head);
  for (const std::string& arm : arms_of(run, "train")) {
    const paired_curves curves = paired(run, arm);
    std::vector<std::string> row{escaped(arm)};
    for (const double level : levels.places) {
      const auto entropy = entropy_at_reward(curves.reward, curves.entropy, level);
      row.push_back(entropy ? number_text(*entropy, 3) : "\u2013");
    }
    table.row(row);
  }
  return table.html();
}

curve entropy_by_reward(const run_data& run, const std::string& arm) {
  const paired_curves curves = paired(run, arm);
  return {trailing_means(curves.reward, matched_steps),
          trailing_means(curves.entropy, matched_steps)};
}

}  // namespace

std::string training_section(const run_data& run) {
  const auto metric = [&](const char* name) {
    return [&run, name](const std::string& arm) { return run.figures.along("train", arm, name); };
  };
  const auto smooth_reward = [&](const std::string& arm) {
    return smoothed(run.figures.along("train", arm, "reward"));
  };
  std::string body = note(
      "All arms share prompts and sampling noise. Curves are "
      "evaluated under each arm's rollout arithmetic, without noise on weights.");
  body += four_cells_table(run);
  body += heading("Sampled accuracy on fixed problems");
  body += small_multiples(run, "training step", "sampled accuracy", curve_line::points::marked,
                          metric("accuracy_sampled"), "Sampled accuracy was not measured.");
  body += heading("Reward, mean of five steps");
  body +=
      small_multiples(run, "training step", "mean reward of 5 steps", curve_line::points::hidden,
                      smooth_reward, "Fewer than five training steps: no five-step means.");
  body += heading("Outcome of each arm") + outcome_table(run);
  return section("training", "Learning curves", body);
}

std::string entropy_section(const run_data& run) {
  const auto own = [&](const std::string& arm) {
    return run.figures.along("train", arm, "entropy");
  };
  const auto by_reward = [&](const std::string& arm) { return entropy_by_reward(run, arm); };
  std::string body = heading("Entropy on own rollouts");
  body += small_multiples(run, "training step", "entropy, nats a token", curve_line::points::hidden,
                          own, "Entropy on own rollouts was not measured.");
  body += heading("Entropy at matched reward");
  body += paragraph(
      "Entropy falls as reward rises, so a slower arm has more entropy at the same step. Compared "
      "at the same reward, what is left is the arm's own. Both are means of five steps; entropy is "
      "interpolated linearly where the mean reward first reaches a level. A dash: the level was "
      "not reached, or passed from the start.");
  body += small_multiples(run, "reward, mean of 5 steps", "entropy, mean of 5 steps",
                          curve_line::points::hidden, by_reward,
                          "Fewer than five training steps: no five-step means.");
  body += matched_table(run);
  return section("entropy", "Entropy along training", body);
}

}  // namespace sim
