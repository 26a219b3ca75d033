// SPDX-License-Identifier: Apache-2.0
// sim/cli/bench/train_step_bench.cpp: `bench train.step`.
#include <fmt/format.h>
#include <tbb/global_control.h>

#include <algorithm>

#include "sim/cli/bench/bench.h"
#include "sim/cli/bench/memory_yardstick.h"
#include "sim/cli/bench/openblas.h"
#include "sim/cli/terminal/progress_bar.h"
#include "sim/train/warm_up.h"

namespace sim::cli {
namespace {

/// Steps of warm-up, after which responses have their full length, as in the study.
constexpr int warm_up_steps = 100;
/// Number of times each arm's step is timed, in turn, right after an FP32 step.
constexpr int step_rounds = 7;

/// A product of the step's size: tokens x hidden x width.
constexpr int sgemm_rows = 4096, sgemm_columns = 384, sgemm_depth = 128;

///   seconds       of the process' CPU time, of each round's step
///   fp32_seconds  of the FP32 step right before each
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
  return {state.weights, {}, 0};
}

double step_seconds(const setting& s, gradient_computer& gradient, training_state state,
                    timed_arm& a) {
  const double begin = cpu_seconds(CLOCK_PROCESS_CPUTIME_ID);
  const rollout_step step = grpo_step(s, a.arm, gradient, state);
  const double seconds = cpu_seconds(CLOCK_PROCESS_CPUTIME_ID) - begin;
  a.tokens = 0;
  for (const rollout& r : step.rollouts) a.tokens += r.tokens.length();
  return seconds;
}

/// An arm's medians beside those of the FP32 steps of the same rounds.
bench_result beside_fp32(const timed_arm& a, const std::string& name) {
  const double seconds = median(a.seconds), fp32_seconds = median(a.fp32_seconds);
  return {name,
          seconds * 1e3,
          "ms",
          "the same step with FP32 products",
          fp32_seconds * 1e3,
          fp32_seconds / seconds};
}

/// Useful work of a step: 8 operations for each token and each parameter of the linears, two in
/// each of rollout, forward, dgrad and wgrad.
bench_result beside_sgemm(const setting& s, const timed_arm& fp32, double sgemm_rate,
                          const std::string& core) {
  const double operations = 8.0 * static_cast<double>(s.table.linear_count()) * fp32.tokens;
  const double rate = operations / median(fp32.seconds) * 1e-9;
  bench_result result{"extra.train.step.fp32_over_sgemm", rate, "GFLOP/s", "", {}, {}};
  if (sgemm_rate == 0) {
    result.yardstick = "none: libopenblas.so.0 is not installed (libopenblas0-pthread)";
    return result;
  }
  result.yardstick =
      fmt::format("OpenBLAS sgemm {}x{}x{}, core {}", sgemm_rows, sgemm_columns, sgemm_depth, core);
  result.yardstick_value = sgemm_rate;
  result.ratio = rate / sgemm_rate;
  return result;
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
  double sgemm_rate = 0;
  for (int round = 0; round < step_rounds; ++round) {
    if (blas) {
      sgemm_rate = std::max(sgemm_rate, blas->best_rate(sgemm_rows, sgemm_columns, sgemm_depth));
    }
    for (timed_arm& a : timed) {
      fp32.seconds.push_back(step_seconds(s, gradient, state, fp32));
      a.fp32_seconds.push_back(fp32.seconds.back());
      a.seconds.push_back(step_seconds(s, gradient, state, a));
      bar.advance(1);
    }
  }
  std::vector<bench_result> results{beside_fp32(timed[0], "train.step"),
                                    beside_sgemm(s, fp32, sgemm_rate, blas ? blas->core() : "")};
  for (std::size_t i = 1; i < timed.size(); ++i) {
    const char* kind = i < 1 + recipe_arms ? "train.step." : "extra.train.step.";
    results.push_back(beside_fp32(timed[i], kind + timed[i].arm.name));
  }
  return results;
}

}  // namespace sim::cli
