// SPDX-License-Identifier: Apache-2.0
// sim/train/run.cpp: arms and cells run side by side, each on one task of the thread pool; inside
// them further tasks fill idle threads. No result depends on who computes what.
#include "sim/train/run.h"

#include <fmt/format.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <thread>

#include "sim/train/run_folder.h"

namespace sim {
namespace {

/// Thrown where a stop was asked for between two pieces that are not resumable inside.
struct stop_requested {};

class study_run {
 public:
  explicit study_run(const run_request& request)
      : request_(request),
        setting_(request.study),
        last_step_(request.last_step > 0 ? std::min(request.last_step, request.study.grpo.steps)
                                         : request.study.grpo.steps),
        folder_(request.folder, request.study, request.existing, last_step_) {}

  run_end run() {
    if (folder_.finished()) return run_end::finished_before;
    try {
      warm_up();
      if (stopping()) return leave(run_end::stopped);
      check_gate();
      measure_frozen();
      train_arms();
    } catch (const stop_requested&) {
      return leave(run_end::stopped);
    }
    if (stopping()) return leave(run_end::stopped);
    leave(run_end::finished);
    folder_.mark_finished(last_step_);
    return run_end::finished;
  }

 private:
  [[nodiscard]] bool stopping() const {
    return request_.stop != nullptr && request_.stop->load() != 0;
  }
  void stop_if_asked() const {
    if (stopping()) throw stop_requested{};
  }
  void tell(const progress& p) {
    const std::scoped_lock lock(telling_);
    if (request_.report) request_.report(p);
  }

  void warm_up();
  void check_gate();
  void measure_frozen();
  void train_arms();
  void train_arm(std::size_t index);
  void evaluate(const arm& a, checkpoint& c);
  run_end leave(run_end how);

  const run_request& request_;
  setting setting_;
  int last_step_;
  run_folder folder_;
  checkpoint warmed_up_;
  std::vector<metric_row> frozen_rows_;
  std::vector<checkpoint> arms_;
  std::mutex telling_, keeping_;
};

const char* warm_up_name = "warm-up";

metric_row train_row(const std::string& phase, const std::string& arm, int step, const figure& f) {
  return {phase, arm, step, std::nullopt, "", "", f.name, f.value, std::nullopt};
}

/// The figure of that name, which must be among them.
double value_of(const std::vector<figure>& figures, const std::string& name) {
  return std::ranges::find(figures, name, &figure::name)->value;
}

void study_run::warm_up() {
  const warm_up_constants& constants = setting_.constants.warm_up;
  const auto file = folder_.checkpoint(warm_up_name);
  if (auto held = load_checkpoint(file, setting_.table, folder_.study_hash())) {
    warmed_up_ = std::move(*held);
  } else {
    warmed_up_.state.weights = initial_weights(setting_.table, setting_.constants.seed);
  }
  training_state& state = warmed_up_.state;
  gradient_computer gradient(setting_);
  while (state.step < constants.steps && !stopping()) {
    const std::vector<figure> figures = warm_up_step(setting_, gradient, state);
    for (const figure& f : figures) {
      warmed_up_.rows.push_back(train_row("warm-up", "fp32", state.step, f));
    }
    tell({progress::kind::warm_up, "", state.step, constants.steps, value_of(figures, "loss")});
    if (state.step == constants.steps) {
      warmed_up_.hashes.push_back({warm_up_name, state.step, step_hash(state, {})});
    }
  }
  save_checkpoint(file, setting_.table, folder_.study_hash(), warmed_up_);
}

/// The arm whose sampled accuracy the gate wants beside FP32: plain MXFP4 in all passes.
const arm* quantized_arm(const study& s) {
  const auto found = std::ranges::find(s.arms, "mxfp4", &arm::name);
  return found == s.arms.end() ? nullptr : &*found;
}

void study_run::check_gate() {
  const warm_up_constants& c = setting_.constants.warm_up;
  const auto measure = [&](const arm& a) {
    const double value =
        accuracy(setting_, a.formats.rollout, warmed_up_.state.weights, decoding::sampled);
    warmed_up_.rows.push_back(
        train_row("warm-up", a.name, warmed_up_.state.step, {"accuracy_sampled", value}));
    return value;
  };
  std::erase_if(warmed_up_.rows,
                [](const metric_row& r) { return r.metric == "accuracy_sampled"; });
  const double fp32 = measure(setting_.constants.arms.front());
  const arm* quantized = quantized_arm(setting_.constants);
  const double mxfp4 = quantized == nullptr ? -1 : measure(*quantized);
  tell({progress::kind::gate, "", 0, 0, fp32, mxfp4});
  const auto refuse = [&](const std::string& what, double value, const std::string& limits) {
    throw run_error(fmt::format(
        "the warmed-up policy misses the gate: {} sampled accuracy is {:.3f}, expected {}; change "
        "seed, warm_up.steps or the warm_up.gate_* keys of the study",
        what, value, limits));
  };
  if (fp32 < double{c.gate_fp32_low} || fp32 > double{c.gate_fp32_high}) {
    refuse("FP32", fp32, fmt::format("{} to {}", c.gate_fp32_low, c.gate_fp32_high));
  }
  if (quantized != nullptr && mxfp4 < double{c.gate_mxfp4_low}) {
    refuse("MXFP4", mxfp4, fmt::format("at least {}", c.gate_mxfp4_low));
  }
}

void study_run::measure_frozen() {
  struct job {
    const arm* a;
    int factor;
  };
  const study& s = setting_.constants;
  std::vector<job> jobs;
  for (const int factor : s.outliers.factors) {
    for (const arm& a : s.arms) jobs.push_back({&a, factor});
  }
  std::map<int, std::map<std::string, cell_figures>> cells_by_factor;
  std::map<std::pair<int, std::string>, std::vector<metric_row>> energies;
  std::optional<frozen_reference> reference;
  std::once_flag referenced;
  int done = 0;
  tbb::parallel_for(
      tbb::blocked_range<std::size_t>(0, jobs.size(), 1),
      [&](const tbb::blocked_range<std::size_t>& range) {
        for (std::size_t i = range.begin(); i < range.end() && !stopping(); ++i) {
          const auto [a, factor] = jobs[i];
          auto held = folder_.load_cell(a->name, factor);
          if (!held) {
            std::call_once(referenced,
                           [&] { reference = make_reference(setting_, warmed_up_.state.weights); });
            const bool whole = factor != 1;
            held.emplace();
            held->figures = measure_cell(setting_, *reference, *a, factor,
                                         whole ? gradient_detail::whole : gradient_detail::full);
            if (!whole) held->energies = component_energies(setting_, *reference, *a);
            folder_.save_cell(a->name, factor, held->figures, held->energies);
          }
          const std::scoped_lock lock(keeping_);
          cells_by_factor[factor][a->name] = held->figures;
          energies[{factor, a->name}] = std::move(held->energies);
          tell({progress::kind::cell, fmt::format("{} x{}", a->name, factor), ++done,
                static_cast<int>(jobs.size())});
        }
      },
      tbb::simple_partitioner());
  stop_if_asked();
  for (const auto& [a, factor] : jobs) {
    const auto rows = rows_of(a->name, factor, cells_by_factor[factor][a->name]);
    frozen_rows_.insert(frozen_rows_.end(), rows.begin(), rows.end());
    const auto& more = energies[{factor, a->name}];
    frozen_rows_.insert(frozen_rows_.end(), more.begin(), more.end());
  }
  for (const auto& [factor, by_arm] : cells_by_factor) {
    const auto rows = factorial_rows(by_arm, factor);
    frozen_rows_.insert(frozen_rows_.end(), rows.begin(), rows.end());
  }
}

void study_run::evaluate(const arm& a, checkpoint& c) {
  const int step = c.state.step;
  const int interval = setting_.constants.measurement.evaluation_interval;
  const auto measure = [&](const char* metric, decoding how) {
    const double value = accuracy(setting_, a.formats.rollout, c.state.weights, how);
    c.rows.push_back(train_row("train", a.name, step, {metric, value}));
    return value;
  };
  if (step == 0 || step == setting_.constants.grpo.steps) {
    measure("accuracy_greedy", decoding::greedy);
  }
  if (step % interval != 0 && step != setting_.constants.grpo.steps) return;
  tell({progress::kind::arm_step, a.name, step, last_step_, -1, -1,
        measure("accuracy_sampled", decoding::sampled)});
}

void study_run::train_arm(std::size_t index) {
  const arm& a = setting_.constants.arms[index];
  const auto file = folder_.checkpoint(a.name);
  checkpoint& c = arms_[index];
  if (auto held = load_checkpoint(file, setting_.table, folder_.study_hash())) {
    c = std::move(*held);
  } else {
    c.state.weights = warmed_up_.state.weights;
    evaluate(a, c);
  }
  gradient_computer gradient(setting_);
  const int held_step = c.state.step;
  while (c.state.step < last_step_ && !stopping()) {
    const rollout_step step = grpo_step(setting_, a, gradient, c.state);
    for (const figure& f : step.figures) {
      c.rows.push_back(train_row("train", a.name, c.state.step, f));
    }
    c.hashes.push_back({a.name, c.state.step, step_hash(c.state, step)});
    tell({progress::kind::arm_step, a.name, c.state.step, last_step_,
          value_of(step.figures, "reward"), value_of(step.figures, "entropy")});
    evaluate(a, c);
    // Now and then, so that little is lost where the process is killed.
    if (c.state.step % setting_.constants.measurement.evaluation_interval == 0) {
      save_checkpoint(file, setting_.table, folder_.study_hash(), c);
    }
  }
  if (c.state.step != held_step || c.state.step == 0) {
    save_checkpoint(file, setting_.table, folder_.study_hash(), c);
  }
}

void study_run::train_arms() {
  arms_.resize(setting_.constants.arms.size());
  tbb::parallel_for(
      tbb::blocked_range<std::size_t>(0, arms_.size(), 1),
      [&](const tbb::blocked_range<std::size_t>& range) {
        for (std::size_t i = range.begin(); i < range.end(); ++i) train_arm(i);
      },
      tbb::simple_partitioner());
}

run_end study_run::leave(run_end how) {
  std::vector<metric_row> rows = warmed_up_.rows;
  std::vector<hash_row> hashes = warmed_up_.hashes;
  rows.insert(rows.end(), frozen_rows_.begin(), frozen_rows_.end());
  for (const checkpoint& c : arms_) {
    rows.insert(rows.end(), c.rows.begin(), c.rows.end());
    hashes.insert(hashes.end(), c.hashes.begin(), c.hashes.end());
  }
  folder_.write_metrics(rows, hashes, setting_.constants.seed);
  return how;
}

}  // namespace

run_end run_study(const run_request& request) {
  const int threads = request.study.run.threads > 0
                          ? request.study.run.threads
                          : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                  static_cast<std::size_t>(threads));
  return study_run(request).run();
}

}  // namespace sim
