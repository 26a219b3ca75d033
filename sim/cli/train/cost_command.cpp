// SPDX-License-Identifier: Apache-2.0
// sim/cli/train/cost_command.cpp: predicts time and memory of training steps, from small ones.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "golden/io/counted.h"
#include "sim/cli/terminal/commands.h"
#include "sim/cli/terminal/json_text.h"
#include "sim/cli/terminal/progress_bar.h"
#include "sim/cost/rank_cost.h"
#include "sim/cost/step_cost.h"
#include "sim/report/report.h"
#include "sim/study/study_file.h"
#include "sim/study/study_keys.h"
#include "sim/study/toggle_cells.h"
#include "sim/train/thread_limit.h"

namespace sim::cli {
namespace {

struct cost_options {
  std::string file, arm;
  std::vector<std::string> overrides;
  std::vector<int> ranks{1, 2, 4, 8, 16};
  int threads = -1;
  double network = 1.25;
  output form = output::text;
};

/// The rates of this machine, and how far they are off on a policy that they were not measured on.
struct calibration {
  work_rates rates;
  double speed_up = 1;
  timed_step held_out;
  peak_bytes memory;

  [[nodiscard]] double predicted_seconds() const { return rates.seconds(held_out.work); }
};

const arm& chosen_arm(const study& s, const std::string& name) {
  if (name.empty()) return s.arms.front();
  if (const arm* a = find_arm(s, name)) return *a;
  std::string names;
  for (const arm& a : s.arms) names += " " + a.name;
  throw usage_error("--arm: the study has no arm '{}'; it has:{}", name, names);
}

/// A batch that is small beside the study's.
study with_small_batch(study s) {
  s.grpo.prompts = 2;
  s.grpo.samples = std::min(s.grpo.samples, 8);
  s.grpo.minibatches = 1;
  s.grpo.max_redraws = 0;
  s.run.micro_batch = 0;
  return s;
}

calibration calibrated(const study& s, const arm& a, int threads) {
  const study small = with_small_batch(s);
  const std::vector<sized_policy> policies = calibration_policies();
  const sized_policy apart = held_out_policy();
  progress_bar bar("calibration", policies.size() + 2);
  std::vector<timed_step> steps;
  for (const sized_policy& p : policies) {
    steps.push_back(time_step(small, a, p));
    bar.advance(1);
  }
  calibration result{rates_of(steps), 1, {}, {}};
  result.held_out = time_step(small, a, apart);
  result.memory = measure_peak(small, a, apart);
  bar.advance(1);
  result.speed_up = speed_up(small, a, apart, threads);
  return result;
}

std::string duration(double seconds) {
  if (seconds < 120) return fmt::format("{:.3g} s", seconds);
  if (seconds < 7200) return fmt::format("{:.3g} min", seconds / 60);
  if (seconds < 172'800) return fmt::format("{:.3g} h", seconds / 3600);
  return fmt::format("{:.3g} days", seconds / 86'400);
}

std::string count_text(double count) {
  return count < 1e9 ? fmt::format("{:.3g} M", count / 1e6) : fmt::format("{:.3g} B", count / 1e9);
}

std::string beside(double predicted, double measured, const std::string& p, const std::string& m) {
  return fmt::format("{} predicted, {} measured ({:+.0f} %)", p, m,
                     100 * (predicted / measured - 1));
}

void print_text(const study& s, const arm& a, const calibration& c, int threads,
                const std::vector<rank_cost>& costs) {
  const policy_shape& apart = held_out_policy().shape;
  fmt::print(
      "arm {}, calibrated on small steps on this machine; {} threads are {:.2f} times as fast "
      "as one\n",
      a.name, threads, c.speed_up);
  fmt::print("held out (width {}, {}, vocabulary {}): {}; {}\n\n", apart.width,
             golden::io::counted(apart.layers, "layer"), apart.vocabulary,
             beside(c.predicted_seconds(), c.held_out.seconds, duration(c.predicted_seconds()),
                    duration(c.held_out.seconds)),
             beside(c.memory.predicted, c.memory.measured,
                    fmt::format("{:.0f} MB", c.memory.predicted / 1e6),
                    fmt::format("{:.0f} MB", c.memory.measured / 1e6)));
  std::vector<std::vector<std::string>> rows{{"policy", "parameters", "ranks", "memory a rank",
                                              "time a step",
                                              golden::io::counted(s.grpo.steps, "step")}};
  for (const rank_cost& r : costs) {
    const bool first = r.ranks == costs.front().ranks;
    rows.push_back({first ? r.policy : "", first ? count_text(r.parameters) : "",
                    std::to_string(r.ranks), fmt::format("{:.4g} GB", r.bytes / 1e9),
                    duration(r.seconds), duration(r.seconds * s.grpo.steps)});
  }
  fmt::print("{}", aligned(rows));
  fmt::print("\nEvery rank holds the whole policy and has {}.\n",
             golden::io::counted(threads, "thread"));
}

ordered_json as_json(const study& s, const arm& a, const calibration& c, int threads,
                     const std::vector<rank_cost>& costs) {
  return {{"study", s.name},
          {"arm", a.name},
          {"threads", threads},
          {"speed_up", c.speed_up},
          {"held_out",
           {{"predicted_seconds", c.predicted_seconds()},
            {"measured_seconds", c.held_out.seconds},
            {"predicted_bytes", c.memory.predicted},
            {"measured_bytes", c.memory.measured}}},
          {"costs", json_array(costs, [](const rank_cost& r) {
             return ordered_json{{"policy", r.policy},
                                 {"parameters", r.parameters},
                                 {"ranks", r.ranks},
                                 {"bytes_a_rank", r.bytes},
                                 {"seconds_a_step", r.seconds}};
           })}};
}

int cost(const cost_options& options) {
  std::vector<std::string> overrides = options.overrides;
  if (options.threads >= 0) overrides.push_back(fmt::format("run.threads={}", options.threads));
  const study s = read_study(options.file, overrides);
  const arm& a = chosen_arm(s, options.arm);
  const int threads = threads_of(s.run);
  const calibration c = calibrated(s, a, threads);
  std::vector<sized_policy> policies{{s.name, s.policy}};
  policies.insert(policies.end(), published_policies().begin(), published_policies().end());
  const rank_machine machine{c.rates, threads, c.speed_up, options.network * 1e9};
  std::vector<rank_cost> costs;
  for (const sized_policy& p : policies) {
    for (const int ranks : options.ranks) costs.push_back(cost_of(s, a, p, machine, ranks));
  }
  if (options.form == output::json) {
    print_json(as_json(s, a, c, threads, costs));
  } else {
    print_text(s, a, c, threads, costs);
  }
  return exit_status::done;
}

}  // namespace

void add_cost(CLI::App& program, action& chosen) {
  CLI::App* command = program.add_subcommand(
      "cost",
      "Predict time and memory of a study's training steps: of its own policy, and of 0.5B, 3B and "
      "30B-A3B ones, on one rank or several");
  auto options = std::make_shared<cost_options>();
  command->add_option("STUDY", options->file, "A study file, such as sim/studies/default.toml")
      ->required();
  command->add_option("KEY=VALUE", options->overrides,
                      "Override keys of the study, as in grpo.prompts=64");
  add_value(*command, "--arm", options->arm, "NAME",
            "The arm that trains (default: the reference)");
  add_value(*command, "--ranks", options->ranks, "N", "Numbers of ranks, as in 1,4,16")
      ->delimiter(',')
      ->check(CLI::Range(1, most_ranks));
  add_threads_option(*command, options->threads);
  add_value(*command, "--network", options->network, "GB",
            "What a rank receives a second (default 1.25, which is 10 Gbit/s)")
      ->check(above_zero());
  add_json_flag(*command, options->form);
  command->footer(example("  mxprism cost sim/studies/default.toml --arm mxfp4 --ranks 1,16\n"));
  command->callback([options, &chosen] { chosen = [options] { return cost(*options); }; });
}

}  // namespace sim::cli
