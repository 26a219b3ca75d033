// SPDX-License-Identifier: Apache-2.0
// tests/train/metric_log_test.cpp: run_request::log of sim/train/run.h: metrics are passed on as
// their steps are done, and a run that is stopped before an arm's first step loses none of them.
#include <atomic>
#include <functional>
#include <map>
#include <tuple>

#include "catch.h"
#include "scratch_folder.h"
#include "sim/report/metrics.h"
#include "sim/train/run.h"
#include "tiny_study.h"

namespace {

using sim::metric_row;
using sim::run_end;

/// Step, metric, pass and layer of a row.
using place = std::tuple<int, std::string, std::string, std::string>;
using rows_by_place = std::map<place, double>;

/// Metrics of the arms' own training, not those of one policy under another arithmetic.
bool is_of_a_step(const metric_row& row) {
  return row.phase == "train" && row.step && row.metric != "accuracy_sampled_of_fp32";
}

void add(rows_by_place& all, const metric_row& row) {
  all[{*row.step, row.metric, row.passes, row.layer}] = row.value;
}

struct logged_run {
  std::map<std::string, rows_by_place> of_arm;
  std::map<std::string, int> last_step_of_first_call;
  std::size_t calls = 0;  ///< with rows, for arms
};

/// Runs the study; an arm's first metrics are the moment at which it is asked to stop, if it is.
run_end run(
    const std::filesystem::path& folder, const std::string& stopped_at, logged_run& logged,
    const std::function<void(sim::study&)>& changed = [](sim::study&) {}, int last_step = 0) {
  std::atomic<int> stop = 0;
  sim::run_request request;
  request.study = test::tiny_study();
  request.study.run.threads = 1;
  changed(request.study);
  request.folder = folder;
  request.last_step = last_step;
  request.existing = sim::existing_run::resume;
  request.stop = &stop;
  request.log = [&](const std::string& run, std::span<const metric_row> rows) {
    if (run == "warm-up" || rows.empty()) return;
    ++logged.calls;
    logged.last_step_of_first_call.emplace(run, rows.back().step.value_or(-1));
    for (const metric_row& row : rows) {
      if (is_of_a_step(row)) add(logged.of_arm[run], row);
    }
    if (run == stopped_at) stop = 2;
  };
  return sim::run_study(request);
}

std::map<std::string, rows_by_place> written(const std::filesystem::path& folder) {
  std::map<std::string, rows_by_place> of_arm;
  const sim::metrics metrics = sim::read_metrics(folder / "metrics.jsonl");
  for (const metric_row& row : metrics.rows()) {
    if (is_of_a_step(row)) add(of_arm[row.arm], row);
  }
  return of_arm;
}

TEST_CASE("metrics_before_the_first_step_are_passed_on_before_it") {
  const test::scratch_folder scratch;
  logged_run logged;
  REQUIRE(run(scratch / "run", "", logged) == run_end::finished);
  REQUIRE(logged.last_step_of_first_call.size() == test::tiny_study().arms.size());
  for (const auto& [arm, step] : logged.last_step_of_first_call) {
    INFO(arm);
    CHECK(step == 0);
  }
  CHECK(logged.of_arm == written(scratch / "run"));
}

TEST_CASE("rows_behind_a_divergence_are_passed_on_once") {
  const test::scratch_folder scratch;
  logged_run logged;
  const auto diverging = [](sim::study& s) { s.grpo.learning_rate = 1e30F; };
  REQUIRE(run(scratch / "run", "", logged, diverging) == run_end::finished);
  CHECK(logged.of_arm == written(scratch / "run"));
  const std::size_t calls = logged.calls;
  std::filesystem::remove(scratch / "run" / "checkpoints" / "finished");
  REQUIRE(run(scratch / "run", "", logged, diverging) == run_end::finished);
  CHECK(logged.calls == calls);
}

TEST_CASE("rows_behind_a_divergence_are_passed_on_to_the_end_of_an_extension") {
  const test::scratch_folder scratch;
  logged_run logged;
  const auto diverging = [](sim::study& s) { s.grpo.learning_rate = 1e30F; };
  for (const int last_step : {1, 2, 0}) {
    REQUIRE(run(scratch / "run", "", logged, diverging, last_step) == run_end::finished);
    CHECK(logged.of_arm == written(scratch / "run"));
  }
}

TEST_CASE("a_run_stopped_before_an_arms_first_step_loses_no_metric") {
  const test::scratch_folder scratch;
  logged_run logged;
  REQUIRE(run(scratch / "run", "mxfp4", logged) == run_end::stopped);
  CHECK(std::get<0>(logged.of_arm.at("mxfp4").rbegin()->first) == 0);
  REQUIRE(run(scratch / "run", "", logged) == run_end::finished);
  CHECK(logged.of_arm == written(scratch / "run"));
}

}  // namespace
