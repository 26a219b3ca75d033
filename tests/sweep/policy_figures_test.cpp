// SPDX-License-Identifier: Apache-2.0
// tests/sweep/policy_figures_test.cpp: what a sweep measures on a policy is what `train` and
// `assess` measure of an arm with the same format, bit for bit.
#include <tbb/global_control.h>

#include "catch.h"
#include "sim/assess/assessment.h"
#include "sim/pretrained/model_weights.h"
#include "sim/pretrained/starting_policy.h"
#include "sim/report/metrics.h"
#include "sim/study/study_file.h"
#include "sim/sweep/point_arm.h"
#include "sim/train/frozen.h"
#include "sim/train/run.h"
#include "sim/train/warm_up.h"
#include "tests/sweep/small_policy.h"

namespace {

using test::policy_folder;

const char* arms = R"([formats.a]
recipe = "nvfp4"
rounding = "stochastic"
[formats.b]
recipe = "mxfp4"
scale_rule = "rceil"
[[arm]]
name = "fp32"
[[arm]]
name = "a"
format = "a"
[[arm]]
name = "b"
format = "b"
model = "blackwell.mxf4"
)";

/// Points with the formats of the arms.
const char* axes =
    "format = [\"nvfp4\", \"mxfp4\"]\n"
    "scale_rule = { values = [\"rceil\"], when = \"format == mxfp4\" }\n"
    "rounding = { values = [\"stochastic\"], when = \"format == nvfp4\" }\n"
    "model = { values = [\"blackwell.mxf4\"], when = \"format == mxfp4\" }\n";

std::string study_with_arms() {
  return test::with(test::small_study, "[[arm]]\nname = \"fp32\"\n", arms);
}

double frozen(const sim::cell_figures& cell, const std::string& metric) {
  return cell.at({metric, "", ""}).full;
}

double at_step(const sim::metrics& m, const std::string& arm, const std::string& metric, int step) {
  for (const sim::metric_row& row : m.rows()) {
    if (row.arm == arm && row.metric == metric && row.step == step) return row.value;
  }
  FAIL("no " << metric << " of " << arm);
  return 0;
}

/// Trains the study's arms as the command does.
sim::metrics trained(const policy_folder& folder, int steps) {
  sim::run_request request;
  request.study = sim::read_study(folder.path / "study.toml",
                                  {"grpo.steps=" + std::to_string(steps), "run.threads=1"});
  request.folder = folder.path / "run";
  REQUIRE(sim::run_study(request) == sim::run_end::finished);
  return sim::read_metrics(folder.path / "run" / "metrics.jsonl");
}

}  // namespace

TEST_CASE("frozen_figures_are_those_of_a_studys_arm") {
  const policy_folder folder(study_with_arms());
  const sim::setting s(sim::read_study(folder.path / "study.toml"));
  const auto reference = sim::make_reference(s, sim::warmed_up_policy(s).weights);
  const auto rows = test::measured_rows(folder.sweep(axes));
  const auto of_fp32 =
      sim::measure_cell(s, reference, s.constants.arms[0], 1, sim::gradient_detail::whole);
  REQUIRE(rows.size() == 2);
  for (std::size_t i = 0; i < 2; ++i) {
    const auto cell =
        sim::measure_cell(s, reference, s.constants.arms[i + 1], 1, sim::gradient_detail::whole);
    CHECK(*rows[i].of("kl") == frozen(cell, "kl"));
    CHECK(*rows[i].of("kl") > 0);
    CHECK(*rows[i].of("entropy") == frozen(cell, "entropy"));
    CHECK(*rows[i].of("entropy_change") == frozen(cell, "entropy") - frozen(of_fp32, "entropy"));
    CHECK(*rows[i].of("greedy_agreement") <= 1);
    CHECK_FALSE(rows[i].of("accuracy_final_in_fp32"));
    CHECK_FALSE(rows[i].of("sqnr_db"));
  }
  CHECK(*rows[0].of("kl") != *rows[1].of("kl"));
}

TEST_CASE("figures_of_texts_are_those_of_assess") {
  const policy_folder folder;
  const sim::setting s(sim::read_study(folder.path / "study.toml"));
  sim::save_model(folder.path / "m", s.table, sim::initial_weights(s.table, 3),
                  sim::saved_numbers::fp32);
  const std::string of_checkpoint =
      "[policy]\ncheckpoint = \"m\"\n[task]\ndigits = 1\n[warm_up]\nschedule = \"fixed\"\nsteps = "
      "0\n";
  test::put_contents(folder.path / "study.toml", of_checkpoint + arms);
  sim::assessment_plan plan{sim::read_study(folder.path / "study.toml"),
                            sim::read_texts(folder.path / "texts.jsonl", {32, 256}), 2};
  plan.of.task = sim::task_of_texts(plan.texts);
  sim::load_policy(plan.of);
  REQUIRE(sim::assess({plan, folder.path / "out", nullptr, nullptr}) ==
          sim::assessment_end::finished);
  const sim::metrics m = sim::read_metrics(folder.path / "out" / "metrics.jsonl");
  const auto rows = test::measured_rows(folder.sweep(axes, "", "texts = \"texts.jsonl\"\n"));
  const char* names[] = {"a", "b"};
  for (std::size_t i = 0; i < 2; ++i) {
    for (const char* metric : {"kl", "entropy", "cross_entropy", "greedy_agreement"}) {
      INFO(names[i] << " " << metric);
      CHECK(*rows[i].of(metric) == m.frozen(names[i], metric, {1, "", ""})->value);
    }
    CHECK(*rows[i].of("cross_entropy_change") ==
          *rows[i].of("cross_entropy") - m.frozen("fp32", "cross_entropy", {1, "", ""})->value);
  }
}

TEST_CASE("a_short_training_is_that_of_train") {
  // So large a rate that two steps change the answers.
  const policy_folder folder(
      test::with(study_with_arms(), "learning_rate = 1e-3", "learning_rate = 3e-2"));
  const sim::metrics m = trained(folder, 2);
  const auto rows =
      test::measured_rows(folder.sweep(axes, "measures = [\"training\"]\n", "steps = 2\n"));
  const char* names[] = {"a", "b"};
  const double of_fp32 = at_step(m, "fp32", "accuracy_final_in_fp32", 2);
  for (std::size_t i = 0; i < 2; ++i) {
    const double accuracy = at_step(m, names[i], "accuracy_final_in_fp32", 2);
    CHECK(*rows[i].of("accuracy_final_in_fp32") == accuracy);
    CHECK(accuracy != *rows[i].of("accuracy_at_start"));
    CHECK(*rows[i].of("accuracy_gap") == of_fp32 - accuracy);
    CHECK(*rows[i].of("rollout_entropy") == at_step(m, names[i], "entropy", 2));
    CHECK(*rows[i].of("diverged") == 0);
    CHECK_FALSE(rows[i].of("kl"));
  }
  CHECK(*rows[0].of("accuracy_at_start") == *rows[1].of("accuracy_at_start"));
  CHECK(*rows[0].of("rollout_entropy") != *rows[1].of("rollout_entropy"));
}

TEST_CASE("a_diverged_training_counts_no_answer_as_right") {
  const policy_folder folder(
      test::with(test::small_study, "learning_rate = 1e-3", "learning_rate = 1e30"));
  const auto rows =
      test::measured_rows(folder.sweep("format = \"mxfp4\"\n", "measures = [\"training\"]\n"));
  CHECK(*rows[0].of("diverged") == 1);
  CHECK(*rows[0].of("accuracy_final_in_fp32") == 0);
  CHECK(*rows[0].of("accuracy_at_start") > 0);
}

TEST_CASE("another_accumulation_of_a_model_is_computed") {
  const policy_folder folder;
  const auto rows = test::measured_rows(
      folder.sweep("model = \"blackwell.mxf4\"\nsum_fraction_bits = [3, 35]\n"));
  const auto plain = test::measured_rows(folder.sweep("model = \"blackwell.mxf4\"\n"));
  CHECK(*rows[0].of("kl") > *rows[1].of("kl"));
  CHECK(*rows[1].of("kl") == *plain[0].of("kl"));
}

TEST_CASE("policies_have_the_same_bits_for_any_number_of_threads_and_from_a_kept_warm_up") {
  const std::string both = "measures = [\"frozen\", \"training\"]\n";
  const policy_folder folder;
  const auto fresh = test::measured_rows(folder.sweep(axes, both));
  CHECK(test::files_below(folder.path / "kept").size() == 1);
  CHECK(test::measured_rows(folder.sweep(axes, both)) == fresh);
  for (const auto& [name, file] : test::files_below(folder.path / "kept")) {
    test::put_contents(folder.path / "kept" / name, file.contents.substr(0, 1000));
  }
  CHECK(test::measured_rows(folder.sweep(axes, both)) == fresh);
  const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
  const policy_folder other;
  CHECK(test::measured_rows(other.sweep(axes, both)) == fresh);
}

TEST_CASE("distributions_that_are_not_kept_are_computed_again") {
  const policy_folder folder;
  const auto s = sim::read_study(folder.path / "study.toml");
  const auto weights =
      std::make_shared<const std::vector<float>>(sim::warmed_up_policy(sim::setting(s)).weights);
  const auto batches = sim::frozen_batches(s, *weights);
  const auto points = sim::points_of(test::sweep_of("format = \"mxfp4\"\n")).points;
  const sim::point_arm a = sim::arm_of(points.front());
  const auto kl = [&](double most_kept, double share) {
    const sim::frozen_policy p(s, weights, batches, most_kept);
    return p.under(a.of, share).of_arm.kl;
  };
  CHECK(kl(0, 1) == kl(1e9, 1));
  CHECK(kl(0, 0.5) < kl(0, 1));
  CHECK(kl(0, 0.5) == kl(0, 0.1));  // one of two batches
}
