// SPDX-License-Identifier: Apache-2.0
// sim/report/seeds/curves_over_seeds.cpp: curves of training, as means over seeds with bands.
#include <algorithm>
#include <array>
#include <functional>

#include "sim/report/html.h"
#include "sim/report/repeated_arms.h"
#include "sim/report/seeds/over_seeds.h"
#include "sim/report/seeds/seed_sections.h"
#include "sim/report/small_multiples.h"

namespace sim {
namespace {

/// What is drawn of each seed before the mean over seeds is taken.
///   minus_reference  the figure less the reference's at the same step of the same seed
///   means_of_five    trailing means over five steps
enum class treatment { none, minus_reference, means_of_five };

/// shown: as the section opens; folded: on a click
struct drawn_metric {
  const char *metric, *title, *y_label;
  treatment treated;
  enum { shown, folded } first;
};

constexpr std::array drawn_metrics{
    drawn_metric{"accuracy_sampled_in_fp32", "Accuracy of the weights under FP32, less FP32's own",
                 "difference in accuracy", treatment::minus_reference, drawn_metric::shown},
    drawn_metric{"accuracy_sampled_in_fp32", "Accuracy of the weights under FP32",
                 "sampled accuracy", treatment::none, drawn_metric::shown},
    drawn_metric{"accuracy_sampled", "Accuracy under the arm", "sampled accuracy", treatment::none,
                 drawn_metric::folded},
    drawn_metric{"entropy", "Entropy on own rollouts, less that of FP32's", "difference, nats",
                 treatment::minus_reference, drawn_metric::shown},
    drawn_metric{"entropy", "Entropy on own rollouts", "entropy, nats a token", treatment::none,
                 drawn_metric::folded},
    drawn_metric{"reward", "Reward, mean of five steps", "mean reward of 5 steps",
                 treatment::means_of_five, drawn_metric::shown},
    drawn_metric{"grad_norm", "Norm of the gradient, mean of five steps", "norm of the gradient",
                 treatment::means_of_five, drawn_metric::folded}};

/// At the steps that both have.
curve difference(const curve& c, const curve& reference) {
  auto [result, subtracted] = at_common_steps(c, reference);
  std::ranges::transform(result.values, subtracted.values, result.values.begin(), std::minus());
  return result;
}

curve treated(const run_data& run, const std::string& arm, const drawn_metric& m) {
  const curve c = run.figures.along("train", arm, m.metric);
  if (m.treated == treatment::means_of_five) return five_step_means(c);
  if (m.treated == treatment::none) return c;
  return difference(c, run.figures.along("train", run.of.arms.front().name, m.metric));
}

curve_line banded_line(const seed_runs& seeds, const std::string& arm, const drawn_metric& m) {
  const band b = band_over(seeds, [&](const run_data& run) { return treated(run, arm, m); });
  return {"", 0, b.steps, b.mean, b.low, b.high};
}

/// Arms whose training repeats that of the same other arm in every seed.
std::vector<repeated_arm> repeated_in_every(const seed_runs& seeds) {
  std::vector<repeated_arm> result = repeated_training(seeds.runs.front());
  for (const run_data& run : seeds.runs) {
    const std::vector<repeated_arm> here = repeated_training(run);
    std::erase_if(result,
                  [&](const repeated_arm& r) { return std::ranges::find(here, r) == here.end(); });
  }
  return result;
}

}  // namespace

std::string curves_over_seeds(const seed_runs& seeds) {
  std::string body = note(
      "Lines are means over " + seeds_text(seeds) +
      "; bands are 95 % intervals of that mean, by Student's t over seeds, at each step alone. How "
      "far the warm-up gets differs from seed to seed and is common to all arms of a seed: it "
      "widens "
      "the bands of levels, but not those of differences within a seed. A curve ends where a seed "
      "has no figure; a band that reaches beyond a chart is cut.");
  const std::vector<repeated_arm> repeated = repeated_in_every(seeds);
  if (!repeated.empty()) {
    body += note("Left out, since every figure of training is that of another arm in every seed: " +
                 words_of(repeated) + ".");
  }
  const std::vector<arm_group> groups = without(groups_of(seeds.runs.front(), "train"), repeated);
  for (const drawn_metric& m : drawn_metrics) {
    const std::string charts =
        small_multiples(groups, {"training step", m.y_label, "Not measured in every seed."},
                        [&](const std::string& arm) { return banded_line(seeds, arm, m); });
    body += m.first == drawn_metric::shown ? heading(m.title) + charts : fold(m.title, charts);
  }
  return section("training", "Learning curves over seeds", body);
}

}  // namespace sim
