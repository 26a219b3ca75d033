// SPDX-License-Identifier: Apache-2.0
// sim/train/run.cpp: arms and cells run side by side, each as one task of the thread pool; nested
// tasks fill idle threads. No result depends on the scheduling, and an error that ends one arm or
// cell only keeps the others from their next step.
#include "sim/train/run.h"

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <span>

#include "sim/policy/whole_loop.h"
#include "sim/pretrained/starting_policy.h"
#include "sim/ranks/agreement_of_ranks.h"
#include "sim/report/metrics.h"
#include "sim/study/study_words.h"
#include "sim/train/additivity.h"
#include "sim/train/available_memory.h"
#include "sim/train/equal_ranks.h"
#include "sim/train/evaluation.h"
#include "sim/train/failures.h"
#include "sim/train/limited_threads.h"
#include "sim/train/memory_limit.h"
#include "sim/train/model_differences.h"
#include "sim/train/rollout_bias.h"
#include "sim/train/shared_folder.h"
#include "sim/train/shared_pieces.h"
#include "sim/train/thread_limit.h"
#include "sim/train/warm_up.h"
#include "sim/train/watched_step.h"

namespace sim {
namespace {

/// Thrown at a requested stop between two pieces that cannot be resumed midway.
struct stop_requested {};

metric_row train_row(const std::string& phase, const std::string& arm, int step, const figure& f) {
  return {phase, arm, step, std::nullopt, "", "", f.name, f.value, std::nullopt};
}

/// The figure of that name; requires it.
double value_of(const std::vector<figure>& figures, const std::string& name) {
  return std::ranges::find(figures, name, &figure::name)->value;
}

/// The schedule of a warm-up that a checkpoint continues.
warm_up_schedule schedule_so_far(const warm_up_constants& constants,
                                 const std::vector<metric_row>& rows) {
  warm_up_schedule result(constants);
  for (const metric_row& row : rows) {
    if (row.metric == "accuracy_sampled") result.take(static_cast<int>(*row.step), row.value);
  }
  return result;
}

/// The measurement at frozen weights, without rescaled channels, of another policy.
study study_of_policy(const study& s, const std::string& name, const policy_outliers& outliers) {
  study result = s;
  result.name += ", " + name;
  result.policy.outliers = outliers;
  result.outliers.policies.clear();
  result.outliers.factors = {1};
  for (arm& a : result.arms) a.training = arm_training::none;
  return result;
}

/// The ranks, if they can compute a run together.
const rank_group& checked(const rank_group& ranks, const study& s, int last_step) {
  expect_equal_ranks(ranks, s, last_step);
  return ranks;
}

class study_run {
 public:
  explicit study_run(const run_request& request)
      : request_(request),
        setting_(request.study, *request.products, *request.ranks),
        own_(request.study, *request.products),
        last_step_(request.last_step > 0 ? std::min(request.last_step, request.study.grpo.steps)
                                         : request.study.grpo.steps),
        folder_(checked(*request.ranks, request.study, last_step_), request.folder, request.study,
                request.existing, last_step_) {}

  run_end run() {
    if (folder_.finished()) return run_end::finished_before;
    expect_threads(tbb::this_task_arena::max_concurrency() - 1);
    try {
      warm_up();
      if (stopping()) return leave(run_end::stopped);
      measure_frozen();
      measure_other_policies();
      train_arms();
      if (!stopping()) compare_trainings();
    } catch (const stop_requested&) {
      return leave(run_end::stopped);
    } catch (const divergence& d) {  // arms catch their own
      const bool first = warmed_up_.state.step == 0 && !setting_.constants.policy.source.weights;
      throw run_error("the warm-up diverged at step {}: {}; lower warm_up.learning_rate{}",
                      warmed_up_.state.step + 1, d.what(),
                      first ? ", or policy.embedding_std, input_std and output_std" : "");
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

  [[nodiscard]] bool asked_here() const {
    return request_.stop != nullptr && request_.stop->load() != 0;
  }
  /// All ranks ask at once.
  [[nodiscard]] bool asked_to_stop() const { return any_rank(setting_.ranks, asked_here()); }
  [[nodiscard]] bool stopping() const { return failures_.any() || asked_to_stop(); }
  void tell(const progress& p) {
    const std::scoped_lock lock(telling_);
    if (request_.report) request_.report(p);
  }

  /// Passes on the rows of a run from the first new one.
  void log_new(const std::string& run, const std::vector<metric_row>& rows, std::size_t& logged) {
    const std::scoped_lock lock(telling_);
    if (request_.log) request_.log(run, std::span(rows).subspan(logged));
    logged = rows.size();
  }

  void warm_up() {
    if (auto held = held_checkpoint(warm_up_name)) {
      warmed_up_ = std::move(*held);
    } else {
      warmed_up_.state.weights = starting_weights(setting_.table, setting_.constants.seed);
    }
    const warm_up_constants& constants = setting_.constants.warm_up;
    training_state& state = warmed_up_.state;
    warm_up_schedule schedule = schedule_so_far(constants, warmed_up_.rows);
    gradient_computer gradient(setting_);
    if (constants.steps == 0) {
      warmed_up_.hashes = {{warm_up_name, 0, step_hash(state, {})}};
    }
    std::size_t logged = warmed_up_.rows.size();
    while (!schedule.is_over(state.step) && !stopping()) {
      const std::vector<figure> figures = warm_up_step(setting_, gradient, state, schedule);
      for (const figure& f : figures) {
        warmed_up_.rows.push_back(train_row("warm-up", "fp32", state.step, f));
      }
      log_new(warm_up_name, warmed_up_.rows, logged);
      tell({progress::kind::warm_up, "", state.step, constants.steps, value_of(figures, "loss")});
      if (schedule.is_over(state.step)) {
        warmed_up_.hashes.push_back({warm_up_name, state.step, step_hash(state, {})});
      }
    }
    save(warm_up_name, warmed_up_);
    if (!schedule.is_over(state.step)) return;
    state.optimizer = {};  // GRPO starts with fresh moments
    tell_warmed_up(schedule);
  }

  void tell_warmed_up(const warm_up_schedule& schedule) {
    const auto measured = std::ranges::find(warmed_up_.rows.rbegin(), warmed_up_.rows.rend(),
                                            "accuracy_sampled", &metric_row::metric);
    const int steps = warmed_up_.state.step;
    if (measured == warmed_up_.rows.rend()) return;  // the initial weights are kept
    tell({progress::kind::gate, "", steps, steps, {}, {}, measured->value});
    if (!schedule.has_target() || schedule.reached()) return;
    tell({progress::kind::note,
          fmt::format("the warm-up did not reach a sampled accuracy of {:.2f} in {} steps",
                      setting_.constants.warm_up.target_accuracy, steps)});
  }

  /// Reports why an existing file was not used.
  void tell_unless_checked(const std::filesystem::path& file) {
    if (!std::filesystem::exists(file)) return;
    tell({progress::kind::note, file.string() + ": has no checksum of this study, as files of "
                                                "earlier versions; it is computed again"});
  }

  std::optional<checkpoint> held_checkpoint(const std::string& name) {
    auto held = folder_.load_checkpoint(name, setting_.table);
    if (!held) tell_unless_checked(folder_.checkpoint_file(name));
    return held;
  }

  void save(const std::string& name, const checkpoint& c) const {
    folder_.save_checkpoint(name, setting_.table, c, setting_.constants.run.keep_checkpoints);
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
    std::vector<std::size_t> missing;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      if (!jobs[i].measured) missing.push_back(i);
    }
    if (missing.empty() || stopping()) return;
    const frozen_reference reference = make_reference(setting_, warmed_up_.state.weights);
    shared_work work;
    work.make = [&](std::size_t piece) {
      const std::size_t i = missing[piece];
      std::string text;
      if (failures_.any() || asked_here()) return text;
      failures_.guard(i, "cell " + jobs[i].name(), [&] {
        text = cell_text(measured(jobs[i], reference), folder_.study_hash());
      });
      return text;
    };
    work.take = [&](std::size_t piece, const std::string& text) {
      const std::size_t i = missing[piece];
      cell_job& job = jobs[i];
      failures_.guard(i, "cell " + job.name(), [&] {
        job.measured = cell_in(text, job.a->name, job.factor, folder_.study_hash());
        folder_.save_cell(job.a->name, job.factor, *job.measured);
        tell_cell(job, jobs.size());
      });
    };
    work.go_on = [&] { return !stopping(); };
    share_pieces(setting_.ranks, missing.size(), work);
  }

  cell measured(const cell_job& job, const frozen_reference& reference) {
    const bool whole = job.factor != 1;
    cell result;
    result.figures = measure_cell(own_, reference, *job.a, job.factor,
                                  whole ? gradient_detail::whole : gradient_detail::full);
    if (whole) return result;
    result.energies = component_energies(own_, reference, *job.a);
    if (setting_.constants.measurement.mismatch_rollouts > 0 && has_rollout_mismatch(*job.a)) {
      result.figures.merge(rollout_bias(own_, reference.weights, *job.a));
    }
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
    for (const auto& [factor, by_arm] : by_factor) {
      append(factorial_rows(setting_.constants, by_arm, factor));
    }
  }

  /// Each is the run of a study of its own, in a folder of its own.
  void measure_other_policies() {
    for (const auto& [name, outliers] : setting_.constants.outliers.policies) {
      tell({progress::kind::note, fmt::format("policy '{}':", name)});
      run_request other = request_;
      other.study = study_of_policy(setting_.constants, name, outliers);
      other.folder = request_.folder / "policies" / name;
      other.log = nullptr;
      other.existing =
          std::filesystem::exists(other.folder) ? existing_run::resume : existing_run::fresh;
      if (study_run(other).run() == run_end::stopped) throw stop_requested{};
      if (setting_.ranks.rank() != 0) continue;  // it writes the rows
      const metrics found = read_metrics(other.folder / "metrics.jsonl");
      for (metric_row row : found.rows()) {
        row.phase += "-" + name;
        frozen_rows_.push_back(std::move(row));
      }
    }
  }

  /// Of a KL term: those of the warmed-up policy, which outlives all arms.
  [[nodiscard]] std::shared_ptr<const std::vector<float>> reference_weights() const {
    return {std::shared_ptr<void>(), &warmed_up_.state.weights};
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
    has_all_rows_ = true;
    folder_.mark_unfinished();
    const auto train = [&](std::ptrdiff_t index) {
      const auto i = static_cast<std::size_t>(index);
      if (!failures_.any()) guard(i, [&] { train_arm(i); });
    };
    if (setting_.ranks.size() == 1) {
      whole_loop(std::ssize(arms), train);
    } else {  // exchanges have one order on all ranks
      for (std::ptrdiff_t i = 0; i < std::ssize(arms); ++i) train(i);
    }
    failures_.raise();
  }

  void train_arm(std::size_t index) {
    const arm& a = setting_.constants.arms[index];
    if (a.training == arm_training::none) return;
    checkpoint& c = arms_[index];
    c.state.reference = reference_weights();
    std::size_t logged = c.rows.size();
    if (c.state.weights.empty()) {
      c.state.weights = warmed_up_.state.weights;
      note_model_differences(a, c);
      evaluate(a, c);
      log_new(a.name, c.rows, logged);  // a stop before the first step keeps these rows
    }
    gradient_computer gradient(setting_);
    const std::size_t held_rows = c.state.step == 0 ? 0 : c.rows.size();
    while (!has_diverged(c.rows) && c.state.step < last_step_ && !stopping()) {
      const bool replayed = is_replayed(setting_.constants, a, c.state.step + 1);
      const training_state before = replayed ? c.state : training_state{};
      const auto outcome = watched_step(setting_, a, gradient, c.state);
      if (const auto* why = std::get_if<divergence>(&outcome)) {
        c.rows.push_back(diverged_row(a.name, c.state.step + 1, *why));
        log_new(a.name, c.rows, logged);
        break;
      }
      const rollout_step& step = std::get<rollout_step>(outcome);
      for (const figure& f : step.figures) {
        c.rows.push_back(train_row("train", a.name, c.state.step, f));
      }
      c.hashes.push_back({a.name, c.state.step, step_hash(c.state, step)});
      expect_equal(setting_.ranks, "hash of the step", c.hashes.back().sha256,
                   "one of the machines computes wrong bits: --resume continues without it");
      if (replayed) replay(before, step, c.rows);
      tell({progress::kind::arm_step, a.name, c.state.step, last_step_,
            value_of(step.figures, "reward"), value_of(step.figures, "entropy")});
      evaluate(a, c);
      log_new(a.name, c.rows, logged);
      // Periodically, so that little is lost if the process is killed.
      if (c.state.step % setting_.constants.measurement.evaluation_interval == 0) save(a.name, c);
    }
    const auto after = rows_after_divergence(setting_, a, c.rows, last_step_);
    c.rows.insert(c.rows.end(), after.begin(), after.end());
    if (c.rows.size() != held_rows) save(a.name, c);
    c.state.optimizer = {};
    if (logged < c.rows.size()) log_new(a.name, c.rows, logged);
  }

  /// Adds rows of additivity; without them where a part of the error makes the step diverge.
  void replay(const training_state& before, const rollout_step& step,
              std::vector<metric_row>& rows) {
    try {
      const auto replayed = replayed_rows(own_, before, step);
      rows.insert(rows.end(), replayed.begin(), replayed.end());
    } catch (const divergence& d) {
      tell({progress::kind::note,
            fmt::format("additivity at step {} is not measured: {}", before.step + 1, d.what())});
    }
  }

  /// Compares the weights that the arms of additivity ended with, if they all did.
  void compare_trainings() {
    const study& s = setting_.constants;
    if (s.measurement.additivity_steps.empty() || !has_additivity(s)) return;
    std::vector<trained_weights> ended;
    for (std::size_t i = 0; i < arms_.size(); ++i) {
      const checkpoint& c = arms_[i];
      if (c.state.weights.empty() || c.state.step != last_step_) continue;
      ended.push_back({setting_.constants.arms[i].name, c.state.weights});
    }
    const std::vector<float>& initial = warmed_up_.state.weights;
    trained_rows_ = trained_rows(initial, ended, last_step_);
    if (trained_rows_.empty()) return;
    const auto other = reference_on_other_rollouts();
    if (!other) return;
    trained_rows_.push_back(floor_row(initial, arms_.front().state.weights, *other, last_step_));
  }

  /// Weights of the reference's training on other rollouts; no value where it diverges. Not kept:
  /// the training of one arm is short.
  std::optional<std::vector<float>> reference_on_other_rollouts() {
    const setting other(with_other_rollouts(setting_.constants), setting_.by, setting_.ranks);
    gradient_computer gradient(other);
    training_state state{warmed_up_.state.weights, {}, 0, reference_weights()};
    while (state.step < last_step_) {
      if (stopping()) throw stop_requested{};
      const auto outcome = watched_step(other, other.constants.arms.front(), gradient, state);
      if (std::holds_alternative<divergence>(outcome)) return {};
    }
    return std::move(state.weights);
  }

  void note_model_differences(const arm& a, checkpoint& c) {
    const auto differences = model_differences(own_, a, c.state.weights);
    if (differences.empty()) return;
    for (const model_difference& d : differences) {
      c.rows.push_back({"train", a.name, 0, std::nullopt, std::string(text_of(pass_words, d.pass)),
                        "", "model_difference", d.share(), std::nullopt});
    }
    tell({progress::kind::note, line_of(setting_.constants, a, differences)});
  }

  void evaluate(const arm& a, checkpoint& c) {
    for (const metric_row& row : evaluation_rows(setting_, a, c.state)) {
      c.rows.push_back(row);
      if (row.arm != a.name || row.metric != "accuracy_sampled") continue;
      tell({progress::kind::arm_step, a.name, c.state.step, last_step_, {}, {}, row.value});
    }
  }

  run_end leave(run_end how) {
    std::vector<metric_row> rows = warmed_up_.rows;
    std::vector<hash_row> hashes = warmed_up_.hashes;
    rows.insert(rows.end(), frozen_rows_.begin(), frozen_rows_.end());
    for (const checkpoint& c : arms_) {
      rows.insert(rows.end(), c.rows.begin(), c.rows.end());
      hashes.insert(hashes.end(), c.hashes.begin(), c.hashes.end());
    }
    rows.insert(rows.end(), trained_rows_.begin(), trained_rows_.end());
    if (has_all_rows_) {
      folder_.write_metrics(rows, hashes, setting_.constants.seed);
    } else {  // an earlier run may have come farther than this one, which stops early
      folder_.write_metrics_unless_fewer(rows, hashes, setting_.constants.seed);
    }
    return how;
  }

  const run_request& request_;
  setting setting_;
  setting own_;  ///< the same, of what a rank computes alone
  int last_step_;
  shared_folder folder_;
  checkpoint warmed_up_;
  std::vector<metric_row> frozen_rows_, trained_rows_;
  bool has_all_rows_ = false;  ///< those of earlier runs in this folder included
  std::vector<checkpoint> arms_;
  failures failures_;
  std::mutex telling_, counting_;
  int cells_done_ = 0;
};

}  // namespace

run_end run_study(const run_request& request) {
  return_freed_blocks();
  const int threads = threads_of(request.study.run);
  expect_memory(request.study, threads, memory_need_of(request.study, threads));
  return on_threads(threads, [&] { return study_run(request).run(); });
}

}  // namespace sim
