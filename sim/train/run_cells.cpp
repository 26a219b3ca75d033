// SPDX-License-Identifier: Apache-2.0
// sim/train/run_cells.cpp: see run_cells.h.
#include "sim/train/run_cells.h"

#include <fmt/format.h>

#include <map>
#include <mutex>

#include "sim/train/rollout_bias.h"
#include "sim/train/shared_pieces.h"

namespace sim {
namespace {

/// An arm and an outlier factor, and its measurement once done.
struct cell_job {
  const arm* a;
  int factor;
  std::optional<cell> measured;

  [[nodiscard]] std::string name() const { return fmt::format("{} x{}", a->name, factor); }
};

class cell_run {
 public:
  explicit cell_run(run_context& run) : run_(run) {
    for (const int factor : run.constants().outliers.factors) {
      for (const arm& a : run.constants().arms) jobs_.push_back({&a, factor, std::nullopt});
    }
  }

  void load_held() {
    for (std::size_t i = 0; i < jobs_.size() && !run_.asked_to_stop(); ++i) {
      cell_job& job = jobs_[i];
      guard(i, [&] {
        job.measured = run_.folder.load_cell(job.a->name, job.factor);
        if (job.measured) return tell(job);
        run_.tell_unless_checked(run_.folder.cell_file(job.a->name, job.factor));
      });
    }
    run_.failed.raise();
  }

  void measure_missing(const std::vector<float>& weights) {
    std::vector<std::size_t> missing;
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      if (!jobs_[i].measured) missing.push_back(i);
    }
    if (missing.empty() || run_.stopping()) return;
    const frozen_reference reference = make_reference(run_.all, weights);
    shared_work work;
    work.make = [&](std::size_t piece) { return measured_text(missing[piece], reference); };
    work.take = [&](std::size_t piece, const std::string& text) { take(missing[piece], text); };
    work.go_on = [&] { return !run_.stopping(); };
    share_pieces(run_.all.ranks, missing.size(), work);
    run_.failed.raise();
  }

  /// Requires every cell.
  [[nodiscard]] std::vector<metric_row> rows() const {
    std::vector<metric_row> result;
    const auto append = [&](const std::vector<metric_row>& rows) {
      result.insert(result.end(), rows.begin(), rows.end());
    };
    std::map<int, std::map<std::string, cell_figures>> by_factor;
    for (const cell_job& job : jobs_) {
      append(rows_of(job.a->name, job.factor, job.measured->figures));
      append(job.measured->energies);
      by_factor[job.factor][job.a->name] = job.measured->figures;
    }
    for (const auto& [factor, by_arm] : by_factor) {
      append(factorial_rows(run_.constants(), by_arm, factor));
    }
    return result;
  }

 private:
  void guard(std::size_t i, const std::function<void()>& work) {
    run_.failed.guard(i, "cell " + jobs_[i].name(), work);
  }

  /// Empty where the run is to stop, or the cell failed.
  std::string measured_text(std::size_t i, const frozen_reference& reference) {
    std::string text;
    if (run_.failed.any() || run_.asked_here()) return text;
    guard(i, [&] { text = cell_text(measured(jobs_[i], reference), run_.folder.study_hash()); });
    return text;
  }

  void take(std::size_t i, const std::string& text) {
    cell_job& job = jobs_[i];
    guard(i, [&] {
      job.measured = cell_in(text, job.a->name, job.factor, run_.folder.study_hash());
      run_.folder.save_cell(job.a->name, job.factor, *job.measured);
      tell(job);
    });
  }

  [[nodiscard]] cell measured(const cell_job& job, const frozen_reference& reference) const {
    const bool whole = job.factor != 1;
    cell result;
    result.figures = measure_cell(run_.own, reference, *job.a, job.factor,
                                  whole ? gradient_detail::whole : gradient_detail::full);
    if (whole) return result;
    result.energies = component_energies(run_.own, reference, *job.a);
    if (run_.constants().measurement.mismatch_rollouts > 0 && has_rollout_mismatch(*job.a)) {
      result.figures.merge(rollout_bias(run_.own, reference.weights, *job.a));
    }
    return result;
  }

  void tell(const cell_job& job) {
    const std::scoped_lock lock(counting_);
    run_.tell({progress::kind::cell, job.name(), ++done_, static_cast<int>(jobs_.size())});
  }

  run_context& run_;
  std::vector<cell_job> jobs_;
  std::mutex counting_;
  int done_ = 0;
};

}  // namespace

std::vector<metric_row> frozen_rows(run_context& run, const std::vector<float>& weights) {
  cell_run cells(run);
  cells.load_held();
  cells.measure_missing(weights);
  if (run.stopping()) throw stop_requested{};
  return cells.rows();
}

}  // namespace sim
