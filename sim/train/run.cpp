// SPDX-License-Identifier: Apache-2.0
// sim/train/run.cpp: arms and cells run side by side, each as one task of the thread pool; nested
// tasks fill idle threads. No result depends on the scheduling, and an error that ends one arm or
// cell only keeps the others from their next step.
#include "sim/train/run.h"

#include <fmt/format.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <thread>

#include "sim/policy/whole_loop.h"
#include "sim/study/study_words.h"
#include "sim/train/failures.h"
#include "sim/train/model_differences.h"
#include "sim/train/run_folder.h"
#include "sim/train/thread_limit.h"

namespace sim {
namespace {

/// Thrown at a requested stop between two pieces that cannot be resumed midway.
struct stop_requested {};

const char* warm_up_name = "warm-up";

metric_row train_row(const std::string& phase, const std::string& arm, int step, const figure& f) {
  return {phase, arm, step, std::nullopt, "", "", f.name, f.value, std::nullopt};
}

/// The figure of that name; requires it.
double value_of(const std::vector<figure>& figures, const std::string& name) {
  return std::ranges::find(figures, name, &figure::name)->value;
}

/// The arm whose sampled accuracy the gate checks besides FP32's: plain MXFP4 in all passes.
const arm* quantized_arm(const study& s) {
  const auto found = std::ranges::find(s.arms, "mxfp4", &arm::name);
  return found == s.arms.end() ? nullptr : &*found;
}

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
    expect_threads(tbb::this_task_arena::max_concurrency() - 1);
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
  /// An arm and an outlier factor at frozen weights, and its measurement once done.
  struct cell_job {
    const arm* a;
    int factor;
    std::optional<cell> measured;

    [[nodiscard]] std::string name() const { return fmt::format("{} x{}", a->name, factor); }
  };

  [[nodiscard]] bool asked_to_stop() const {
    return request_.stop != nullptr && request_.stop->load() != 0;
  }
  [[nodiscard]] bool stopping() const { return failures_.any() || asked_to_stop(); }
  void tell(const progress& p) {
    const std::scoped_lock lock(telling_);
    if (request_.report) request_.report(p);
  }

  void warm_up() {
    const warm_up_constants& constants = setting_.constants.warm_up;
    if (auto held = held_checkpoint(warm_up_name)) {
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
    save(warm_up_name, warmed_up_);
  }

  void check_gate() {
    const warm_up_constants& c = setting_.constants.warm_up;
    const auto measure = [&](const arm& a) {
      const double value =
          accuracy(setting_, a.formats, {warmed_up_.state.weights, {}, 0}, decoding::sampled);
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
      throw run_error(
          "the warmed-up policy misses the gate: {} sampled accuracy is {:.3f}, expected {}; "
          "change seed, warm_up.steps or the warm_up.gate_* keys of the study",
          what, value, limits);
    };
    if (fp32 < double{c.gate_fp32_low} || fp32 > double{c.gate_fp32_high}) {
      refuse("FP32", fp32, fmt::format("{} to {}", c.gate_fp32_low, c.gate_fp32_high));
    }
    if (quantized != nullptr && mxfp4 < double{c.gate_mxfp4_low}) {
      refuse("MXFP4", mxfp4, fmt::format("at least {}", c.gate_mxfp4_low));
    }
  }

  /// Reports why an existing file was not used.
  void tell_unless_checked(const std::filesystem::path& file) {
    if (!std::filesystem::exists(file)) return;
    tell({progress::kind::note, file.string() + ": has no checksum of this study, as files of "
                                                "earlier versions; it is computed again"});
  }

  std::optional<checkpoint> held_checkpoint(const std::string& name) {
    const auto file = folder_.checkpoint(name);
    auto held = load_checkpoint(file, setting_.table, folder_.study_hash());
    if (!held) tell_unless_checked(file);
    return held;
  }

  void save(const std::string& name, const checkpoint& c) const {
    save_checkpoint(folder_.checkpoint(name), setting_.table, folder_.study_hash(), c);
  }

  void measure_frozen() {
    std::vector<cell_job> jobs = held_cells();
    failures_.raise();
    measure_missing(jobs);
    failures_.raise();
    if (stopping()) throw stop_requested{};
    append_rows(jobs);
  }

  std::vector<cell_job> held_cells() {
    std::vector<cell_job> jobs;
    for (const int factor : setting_.constants.outliers.factors) {
      for (const arm& a : setting_.constants.arms) jobs.push_back({&a, factor, std::nullopt});
    }
    for (std::size_t i = 0; i < jobs.size() && !asked_to_stop(); ++i) {
      cell_job& job = jobs[i];
      failures_.guard(i, "cell " + job.name(), [&] {
        job.measured = folder_.load_cell(job.a->name, job.factor);
        if (job.measured) return tell_cell(job, jobs.size());
        tell_unless_checked(folder_.cell_file(job.a->name, job.factor));
      });
    }
    return jobs;
  }

  void measure_missing(std::vector<cell_job>& jobs) {
    const bool missing = std::ranges::any_of(jobs, [](const cell_job& j) { return !j.measured; });
    if (!missing || stopping()) return;
    const frozen_reference reference = make_reference(setting_, warmed_up_.state.weights);
    whole_loop(std::ssize(jobs), [&](std::ptrdiff_t index) {
      const auto i = static_cast<std::size_t>(index);
      if (jobs[i].measured || stopping()) return;
      failures_.guard(i, "cell " + jobs[i].name(), [&] {
        cell found = measured(jobs[i], reference);
        folder_.save_cell(jobs[i].a->name, jobs[i].factor, found);
        jobs[i].measured = std::move(found);
        tell_cell(jobs[i], jobs.size());
      });
    });
  }

  cell measured(const cell_job& job, const frozen_reference& reference) {
    const bool whole = job.factor != 1;
    cell result;
    result.figures = measure_cell(setting_, reference, *job.a, job.factor,
                                  whole ? gradient_detail::whole : gradient_detail::full);
    if (!whole) result.energies = component_energies(setting_, reference, *job.a);
    return result;
  }

  void tell_cell(const cell_job& job, std::size_t cells) {
    const std::scoped_lock lock(counting_);
    tell({progress::kind::cell, job.name(), ++cells_done_, static_cast<int>(cells)});
  }

  void append_rows(const std::vector<cell_job>& jobs) {
    const auto append = [&](const std::vector<metric_row>& rows) {
      frozen_rows_.insert(frozen_rows_.end(), rows.begin(), rows.end());
    };
    std::map<int, std::map<std::string, cell_figures>> by_factor;
    for (const cell_job& job : jobs) {
      append(rows_of(job.a->name, job.factor, job.measured->figures));
      append(job.measured->energies);
      by_factor[job.factor][job.a->name] = job.measured->figures;
    }
    for (const auto& [factor, by_arm] : by_factor) append(factorial_rows(by_arm, factor));
  }

  void train_arms() {
    const std::vector<arm>& arms = setting_.constants.arms;
    const auto guard = [&](std::size_t i, const std::function<void()>& work) {
      failures_.guard(i, fmt::format("arm '{}'", arms[i].name), work);
    };
    arms_.resize(arms.size());
    for (std::size_t i = 0; i < arms.size(); ++i) {
      guard(i, [&] {
        if (auto held = held_checkpoint(arms[i].name)) arms_[i] = std::move(*held);
      });
    }
    failures_.raise();
    whole_loop(std::ssize(arms), [&](std::ptrdiff_t index) {
      const auto i = static_cast<std::size_t>(index);
      if (!failures_.any()) guard(i, [&] { train_arm(i); });
    });
    failures_.raise();
  }

  void train_arm(std::size_t index) {
    const arm& a = setting_.constants.arms[index];
    checkpoint& c = arms_[index];
    if (c.state.weights.empty()) {
      c.state.weights = warmed_up_.state.weights;
      note_model_differences(a, c);
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
      // Periodically, so that little is lost if the process is killed.
      if (c.state.step % setting_.constants.measurement.evaluation_interval == 0) save(a.name, c);
    }
    if (c.state.step != held_step || c.state.step == 0) save(a.name, c);
  }

  void note_model_differences(const arm& a, checkpoint& c) {
    const auto differences = model_differences(setting_, a, c.state.weights);
    if (differences.empty()) return;
    for (const model_difference& d : differences) {
      c.rows.push_back({"train", a.name, 0, std::nullopt, std::string(text_of(pass_words, d.pass)),
                        "", "model_difference", d.share(), std::nullopt});
    }
    tell({progress::kind::note, line_of(setting_.constants, a, differences)});
  }

  void evaluate(const arm& a, checkpoint& c) {
    const int step = c.state.step;
    const int interval = setting_.constants.measurement.evaluation_interval;
    const auto measure = [&](const char* metric, decoding how) {
      const double value = accuracy(setting_, a.formats, c.state, how);
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

  run_end leave(run_end how) {
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

  const run_request& request_;
  setting setting_;
  int last_step_;
  run_folder folder_;
  checkpoint warmed_up_;
  std::vector<metric_row> frozen_rows_;
  std::vector<checkpoint> arms_;
  failures failures_;
  std::mutex telling_, counting_;
  int cells_done_ = 0;
};

}  // namespace

run_end run_study(const run_request& request) {
  const int threads = request.study.run.threads > 0
                          ? request.study.run.threads
                          : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                  static_cast<std::size_t>(threads));
  // A separate arena: one for a single thread never requests a second one, not even at its end.
  tbb::task_arena arena(std::min(threads, tbb::this_task_arena::max_concurrency()));
  return arena.execute([&] { return study_run(request).run(); });
}

}  // namespace sim
