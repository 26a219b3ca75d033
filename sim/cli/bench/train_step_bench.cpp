// SPDX-License-Identifier: Apache-2.0
// sim/cli/bench/train_step_bench.cpp: `bench train.step` and `bench train.batch`.
#include <fmt/format.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <functional>
#include <thread>

#include "sim/cli/bench/bench.h"
#include "sim/cli/bench/memory_yardstick.h"
#include "sim/cli/bench/openblas.h"
#include "sim/cli/terminal/progress_bar.h"
#include "sim/train/warm_up.h"
#include "sim/train/watched_step.h"

namespace sim::cli {
namespace {

/// Steps of warm-up, after which responses have their full length, as in the study.
constexpr int warm_up_steps = 100;
/// Number of times each arm's step is timed, in turn, right before or after an FP32 step.
constexpr int step_rounds = 9;

/// A product of the step's size: tokens x hidden x width.
constexpr int sgemm_rows = 4096, sgemm_columns = 384, sgemm_depth = 128;

constexpr int batch_threads = 2;

///   seconds       of the process' CPU time, of each round's step
///   fp32_seconds  of the FP32 step beside each
///   tokens        of the rollouts, prompts included
struct timed_arm {
  sim::arm arm;
  std::vector<double> seconds{}, fp32_seconds{};
  int tokens = 0;
};

/// The same format for both operands of all passes, under one model.
timed_arm arm_of(const std::string& name, const mx::operand& f, const char* model = "fp32.fma") {
  const pass_format both{f, f, operand_source::own, mx::model_named(model)};
  timed_arm result;
  result.arm.name = name;
  result.arm.formats = {both, both, both, both};
  return result;
}

mx::operand coded(const mx::block_format& format, mx::scale_rule rule) {
  return {mx::operand_numbers::coded, {{format, rule}}};
}

mx::operand mxfp4() { return coded(mx::block_formats::mxfp4, mx::scale_rule::rceil); }
mx::operand nvfp4() { return coded(mx::block_formats::nvfp4, mx::scale_rule::ideal); }

timed_arm toggled(const std::string& name, mx::toggle meaning, mx::component parts) {
  mx::operand f = mxfp4();
  f.toggle = meaning;
  f.parts = parts;
  return arm_of(name, f);
}

timed_arm corrected(const std::string& name, int macro_block, float alpha) {
  mx::operand f = mxfp4();
  mx::corrections& c = f.recipe.corrections;
  c.macro_block = macro_block;
  if (alpha > 0) c.fallback = mx::fallback_mode::all;
  if (alpha > 0) c.alpha = alpha;
  return arm_of(name, f);
}

/// An even number of arms, each second of which is timed after the FP32 step of the one before.
/// NVFP4, and MXFP4 under other models: rows of their own beside MXFP4's.
constexpr std::size_t recipe_arms = 3;

std::vector<timed_arm> arms() {
  using enum mx::component;
  constexpr auto injection = mx::toggle::injection, operation = mx::toggle::operation;
  return {arm_of("mxfp4", mxfp4()),
          arm_of("nvfp4", nvfp4()),
          arm_of("mxf4", mxfp4(), "blackwell.mxf4"),
          arm_of("sequential", mxfp4(), "fp32.sequential"),
          toggled("inj-s", injection, scale),
          toggled("inj-d", injection, deadzone),
          toggled("inj-g", injection, grid),
          toggled("inj-sd", injection, scale | deadzone),
          toggled("inj-sg", injection, scale | grid),
          toggled("inj-dg", injection, deadzone | grid),
          toggled("op-sd", operation, scale | deadzone),
          toggled("op-sg", operation, scale | grid),
          corrected("mbs", 128, 0),
          corrected("of", 0, 0.5F),
          corrected("of-alpha1", 0, 1.0F),
          corrected("mbs+of", 128, 0.5F)};
}

/// The default study's policy and batch, with a short warm-up.
study bench_study() {
  study s;
  s.name = "bench";
  s.warm_up.schedule = rate_schedule::fixed;
  s.warm_up.steps = warm_up_steps;
  s.warm_up.ramp_steps = warm_up_steps / 10;
  return s;
}

training_state warmed_up(const setting& s, gradient_computer& gradient, progress_bar& bar) {
  training_state state;
  state.weights = initial_weights(s.table, s.constants.seed);
  warm_up_schedule schedule(s.constants.warm_up);
  while (!schedule.is_over(state.step)) {
    static_cast<void>(warm_up_step(s, gradient, state, schedule));
    bar.advance(1);
  }
  return start_of_grpo(std::move(state.weights));
}

/// CPU time of all threads.
double process_seconds_of(const std::function<void()>& work) {
  const double begin = cpu_seconds(CLOCK_PROCESS_CPUTIME_ID);
  work();
  return cpu_seconds(CLOCK_PROCESS_CPUTIME_ID) - begin;
}

double step_seconds(const setting& s, gradient_computer& gradient, training_state state,
                    timed_arm& a) {
  rollout_step step;
  const double seconds = process_seconds_of([&] { step = grpo_step(s, a.arm, gradient, state); });
  a.tokens = 0;
  for (const rollout& r : step.rollouts) a.tokens += r.tokens.length();
  return seconds;
}

double watched_seconds(const setting& s, gradient_computer& gradient, training_state state,
                       const arm& a) {
  return process_seconds_of([&] { static_cast<void>(watched_step(s, a, gradient, state)); });
}

/// Medians, and the median of the ratios of each round.
bench_result beside_fp32(const timed_arm& a, const std::string& name, const char* yardstick) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < a.seconds.size(); ++i) {
    ratios.push_back(a.fp32_seconds[i] / a.seconds[i]);
  }
  return {name,      median(a.seconds) * 1e3,      "ms",
          yardstick, median(a.fp32_seconds) * 1e3, median(ratios)};
}

/// Useful work of a step: 8 operations for each token and each parameter of the linears, two in
/// each of rollout, forward, dgrad and wgrad. Rates are those of a second of each thread's CPU
/// time, times the threads.
///   sgemm_rates  of one thread; empty where there is no yardstick
bench_result beside_sgemm(const std::string& name, const setting& s, const timed_arm& fp32,
                          const std::vector<double>& sgemm_rates, int threads) {
  const double operations = 8.0 * static_cast<double>(s.table.linear_count()) * fp32.tokens;
  const double rate = threads * operations / median(fp32.seconds) * 1e-9;
  bench_result result{name, rate, "GFLOP/s", "", {}, {}};
  if (sgemm_rates.empty()) {
    result.yardstick = "none: libopenblas.so.0 is not installed (libopenblas0-pthread)";
    return result;
  }
  result.yardstick = fmt::format("OpenBLAS sgemm {}x{}x{}, core {}", sgemm_rows, sgemm_columns,
                                 sgemm_depth, openblas::load()->core());
  result.yardstick_value = threads * median(sgemm_rates);
  result.ratio = rate / *result.yardstick_value;
  return result;
}

/// The rate of each of so many threads that multiply at once.
void add_sgemm_rates(const std::optional<openblas>& blas, int threads, std::vector<double>& rates) {
  if (!blas) return;
  std::vector<double> found(static_cast<std::size_t>(threads));
  {
    std::vector<std::jthread> running;
    for (double& rate : found) {
      running.emplace_back([&] { rate = blas->best_rate(sgemm_rows, sgemm_columns, sgemm_depth); });
    }
  }
  rates.insert(rates.end(), found.begin(), found.end());
}

}  // namespace

std::vector<bench_result> bench_train_step() {
  const tbb::global_control one_thread(tbb::global_control::max_allowed_parallelism, 1);
  const setting s(bench_study());
  gradient_computer gradient(s);
  std::vector<timed_arm> timed = arms();
  timed_arm fp32 = arm_of("fp32", {});
  progress_bar bar("train.step", warm_up_steps + step_rounds * timed.size());
  const training_state state = warmed_up(s, gradient, bar);
  const std::optional<openblas> blas = openblas::load();
  std::vector<double> sgemm_rates;
  timed_arm watched = fp32;
  for (int round = 0; round < step_rounds; ++round) {
    add_sgemm_rates(blas, 1, sgemm_rates);
    watched.fp32_seconds.push_back(step_seconds(s, gradient, state, watched));
    watched.seconds.push_back(watched_seconds(s, gradient, state, watched.arm));
    const auto time = [&](timed_arm& a) {
      a.seconds.push_back(step_seconds(s, gradient, state, a));
    };
    for (std::size_t i = 0; i < timed.size(); i += 2) {
      timed_arm &before = timed[i], &after = timed[i + 1];
      time(before);
      time(fp32);
      time(after);
      before.fp32_seconds.push_back(fp32.seconds.back());
      after.fp32_seconds.push_back(fp32.seconds.back());
      bar.advance(2);
    }
  }
  const char* plain = "the same step with FP32 products";
  std::vector<bench_result> results{
      beside_fp32(timed[0], "train.step", plain),
      beside_sgemm("extra.train.step.fp32_over_sgemm", s, fp32, sgemm_rates, 1),
      beside_fp32(watched, "extra.train.step.watched", "the same step, not watched")};
  for (std::size_t i = 1; i < timed.size(); ++i) {
    const char* kind = i < 1 + recipe_arms ? "train.step." : "extra.train.step.";
    results.push_back(beside_fp32(timed[i], kind + timed[i].arm.name, plain));
  }
  return results;
}

std::vector<bench_result> bench_train_batch() {
  const tbb::global_control threads(tbb::global_control::max_allowed_parallelism, batch_threads);
  study large = bench_study();
  large.task.digits = 5;  // 30 tokens of 32
  large.grpo.prompts = 64;
  const setting s(large);
  gradient_computer gradient(s);
  timed_arm fp32 = arm_of("fp32", {});
  progress_bar bar("train.batch", warm_up_steps + step_rounds);
  const training_state state = warmed_up(s, gradient, bar);
  const std::optional<openblas> blas = openblas::load();
  std::vector<double> sgemm_rates;
  for (int round = 0; round < step_rounds; ++round) {
    add_sgemm_rates(blas, batch_threads, sgemm_rates);
    fp32.seconds.push_back(step_seconds(s, gradient, state, fp32));
    bar.advance(1);
  }
  return {beside_sgemm("train.batch", s, fp32, sgemm_rates, batch_threads)};
}

}  // namespace sim::cli
