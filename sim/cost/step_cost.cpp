// SPDX-License-Identifier: Apache-2.0
// sim/cost/step_cost.cpp: see step_cost.h.
#include "sim/cost/step_cost.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <limits>

#include "sim/train/available_memory.h"
#include "sim/train/limited_threads.h"
#include "sim/train/trainer.h"

namespace sim {
namespace {

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

sized_policy sized(int width, int layers, int hidden, int vocabulary) {
  sized_policy result;
  result.shape.width = width;
  result.shape.layers = layers;
  result.shape.hidden = hidden;
  result.shape.vocabulary = vocabulary;
  result.shape.head_width = 32;
  result.shape.heads = width / 32;
  result.shape.kv_heads = std::max(1, width / 64);
  return result;
}

/// The least time of a step with its hash, after one that is not timed.
double least_seconds(const setting& s, const arm& a, double (*now)()) {
  constexpr int rounds = 3;
  gradient_computer gradient(s);
  training_state state = start_of_grpo(initial_weights(s.table, s.constants.seed));
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i <= rounds; ++i) {
    const double begin = now();
    const rollout_step step = grpo_step(s, a, gradient, state);
    static_cast<void>(step_hash(state, step));
    if (i > 0) least = std::min(least, now() - begin);
  }
  return least;
}

double least_seconds_on(int threads, const study& s, const arm& a, double (*now)()) {
  return on_threads(threads, [&] { return least_seconds(setting(s), a, now); });
}

study with_policy(study s, const sized_policy& p) {
  s.policy = p.shape;
  return s;
}

}  // namespace

double work_rates::seconds(const step_work& w) const noexcept {
  double sum = 0;
  for (std::size_t i = 0; i < work_kinds; ++i) sum += of[i] * w.of[i];
  return sum;
}

work_rates rates_of(const std::vector<timed_step>& steps) {
  // One rate at a time to its best value, until none moves: a convex problem.
  constexpr int sweeps = 20'000;
  work_rates rates;
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    for (std::size_t kind = 0; kind < work_kinds; ++kind) {
      double over = 0, under = 0;
      for (const timed_step& step : steps) {
        const double x = step.work.of[kind] / step.seconds;
        const double others = rates.seconds(step.work) / step.seconds - rates.of[kind] * x;
        over += x * (1 - others);
        under += x * x;
      }
      rates.of[kind] = under > 0 ? std::max(0.0, over / under) : 0;
    }
  }
  return rates;
}

std::vector<sized_policy> calibration_policies() {
  return {sized(128, 2, 384, 32),    sized(128, 8, 384, 32),   sized(256, 2, 768, 32),
          sized(256, 6, 768, 32),    sized(512, 1, 1536, 32),  sized(512, 3, 1536, 32),
          sized(768, 1, 3072, 32),   sized(128, 1, 384, 4096), sized(256, 1, 768, 8192),
          sized(512, 1, 1024, 4096), sized(64, 1, 128, 16384)};
}

sized_policy held_out_policy() { return sized(640, 4, 2048, 2048); }

timed_step time_step(const study& s, const arm& a, const sized_policy& p) {
  const study own = with_policy(s, p);
  return {work_of(own, p), least_seconds_on(1, own, a, cpu_seconds)};
}

peak_bytes measure_peak(const study& s, const arm& a, const sized_policy& p) {
  const study own = with_policy(s, p);
  return_freed_blocks();
  forget_peak();
  const double before = resident_memory();
  static_cast<void>(time_step(s, a, p));
  // A step's state refers to the weights that it started from.
  return {peak_memory(), before + step_peak(own, a, 1).bytes() + p.parameters() * sizeof(float)};
}

double speed_up(const study& s, const arm& a, const sized_policy& p, int threads) {
  if (threads == 1) return 1;
  const study own = with_policy(s, p);
  return std::max(1.0, least_seconds_on(1, own, a, wall_seconds) /
                           least_seconds_on(threads, own, a, wall_seconds));
}

}  // namespace sim
