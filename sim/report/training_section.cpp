// SPDX-License-Identifier: Apache-2.0
// sim/report/training_section.cpp: learning curves, and the outcome of each arm.
#include <fmt/format.h>

#include "sim/report/divergences.h"
#include "sim/report/figure_text.h"
#include "sim/report/html.h"
#include "sim/report/repeated_arms.h"
#include "sim/report/run_data.h"
#include "sim/report/small_multiples.h"

namespace sim {
namespace {

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
  const std::string end = early_end_of(run.figures, arm);
  return escaped(arm) + (end.empty() ? "" : ", " + end);
}

/// An arm's mean reward over FP32's, at the steps that both have.
std::string reward_ratio(const curve& reward, const curve& of_fp32) {
  const auto [own, reference] = at_common_steps(reward, of_fp32);
  const double mean = mean_of(reference.values);
  return mean > 0 ? number_text(mean_of(own.values) / mean, 2) : "\u2013";
}

std::string repetition_note(const std::vector<repeated_arm>& repeated) {
  if (repeated.empty()) return "";
  return note(fmt::format(
      "Left out of the curves and of the table, since every figure of training is that of another "
      "arm: {}.",
      words_of(repeated)));
}

std::string outcome_table(const run_data& run, const std::vector<repeated_arm>& repeated) {
  html_table table({"arm", "mean reward", "of FP32's", "sampled accuracy", "greedy accuracy",
                    "entropy, first \u2192 last step", "groups without spread", "gradient norm"},
                   narrow_screen::cards);
  const curve reference = run.figures.along("train", "fp32", "reward");
  for (const std::string& arm : without(arms_of(run, "train"), repeated)) {
    const auto along = [&](const char* metric) { return run.figures.along("train", arm, metric); };
    const curve reward = along("reward");
    table.row({marked_name(run, arm), mean_or_dash(reward, 3), reward_ratio(reward, reference),
               first_and_last(along("accuracy_sampled")), first_and_last(along("accuracy_greedy")),
               first_and_last(along("entropy")), mean_or_dash(along("frac_reward_zero_std"), 2),
               mean_or_dash(along("grad_norm"), 3)});
  }
  return table.html();
}

}  // namespace

std::string training_section(const run_data& run) {
  const auto accuracy = [&](const std::string& arm) {
    curve_line line = line_of(run.figures.along("train", arm, "accuracy_sampled"));
    line.marks = curve_line::points::marked;
    return line;
  };
  const auto reward = [&](const std::string& arm) {
    return line_of(five_step_means(run.figures.along("train", arm, "reward")));
  };
  const std::vector<repeated_arm> repeated = repeated_training(run);
  const std::vector<arm_group> groups = without(groups_of(run, "train"), repeated);
  std::string body = note(
      "All arms share prompts and sampling noise. Accuracies are evaluated under each arm's "
      "rollout arithmetic, without noise on weights. Rewards are those of the rollouts that "
      "it was trained on, under adaptive noise where the arm has it.");
  body += repetition_note(repeated);
  body += heading("Sampled accuracy on fixed problems");
  body += small_multiples(
      groups, {"training step", "sampled accuracy", "Sampled accuracy was not measured."},
      accuracy);
  body += heading("Reward, mean of five steps");
  body += small_multiples(groups,
                          {"training step", "mean reward of 5 steps",
                           "Fewer than five training steps: no five-step means."},
                          reward);
  body += heading("Outcome of each arm") + outcome_table(run, repeated);
  return section("training", "Learning curves", body);
}

}  // namespace sim
