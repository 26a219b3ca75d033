// SPDX-License-Identifier: Apache-2.0
// tests/train/model_differences_test.cpp: sim/train/model_differences.h.
#include "sim/train/model_differences.h"

#include "catch.h"
#include "scratch_folder.h"
#include "sim/study/study_words.h"
#include "sim/train/run.h"
#include "tiny_study.h"

namespace {

using sim::model_difference;

/// MXFP4 in every pass, or BF16, under a model.
sim::arm under(const char* name, const char* model, const mx::operand& f = test::mxfp4()) {
  sim::arm a{name, test::everywhere(f), {}, {}};
  for (const sim::pass p : sim::all_passes) {
    sim::formats_of(a.formats, p).model = mx::model_named(model);
  }
  return a;
}

sim::study study_with(std::vector<sim::arm> arms) {
  sim::study s = test::tiny_study();
  s.warm_up.steps = 40;
  s.grpo.steps = 1;
  s.outliers.factors = {1};
  s.arms.resize(2);
  s.arms.insert(s.arms.end(), arms.begin(), arms.end());
  return s;
}

std::vector<model_difference> differences_of(const sim::study& s, const sim::arm& a) {
  const sim::setting all(s);
  return model_differences(all, a, sim::initial_weights(all.table, 1));
}

TEST_CASE("an_arm_under_fma_has_no_results_under_another_model") {
  CHECK(differences_of(study_with({}), test::tiny_arms()[1]).empty());
}

TEST_CASE("every_result_is_counted_once_a_pass") {
  sim::study s = study_with({});
  sim::arm a = under("mxf4", "blackwell.mxf4");
  a.formats.wgrad.sequences = 4;
  const auto all = differences_of(s, a);
  REQUIRE(all.size() == 4);
  const sim::parameter_table table(s.policy);
  CHECK(all[3].results == 8 * table.linear_count());
  CHECK(all[0].results == all[1].results);
  // Outputs of q, k, v, o, gate, up and down, and their inputs.
  const long long outputs = 64 + 32 + 32 + 32 + 64 + 64 + 32,
                  inputs = 32 + 32 + 32 + 64 + 32 + 32 + 64;
  CHECK(all[0].results % outputs == 0);
  CHECK(all[2].results / inputs == all[0].results / outputs);
}

TEST_CASE("products_that_are_exempt_from_the_model_are_not_counted") {
  const sim::study s = study_with({});
  sim::arm a = under("mxf4", "blackwell.mxf4");
  const auto all = differences_of(s, a);
  for (const sim::pass p : sim::all_passes) {
    sim::formats_of(a.formats, p).exempt = {.last = 1, .layers = s.policy.layers};
  }
  const auto without_last = differences_of(s, a);
  REQUIRE(without_last.size() == 4);
  // The rollout alone has the same tokens: gradients come through the exempt layer.
  CHECK(without_last[3].results * s.policy.layers == all[3].results * (s.policy.layers - 1));
}

TEST_CASE("models_that_round_otherwise_differ_whatever_the_micro_batch") {
  const sim::arm a = under("cores", "ampere.mma.bf16.f32", {mx::operand_numbers::bf16});
  sim::study s = study_with({});
  s.grpo.prompts = s.grpo.samples = 2;
  const auto all = differences_of(s, a);
  REQUIRE(all.size() == 4);
  for (const model_difference& d : all) CHECK((d.different > 0 && d.different < d.results));
  CHECK(sim::line_of(s, a, all).find("repeat") == std::string::npos);
  s.run.micro_batch = 3;
  const auto again = differences_of(s, a);
  for (std::size_t i = 0; i < 4; ++i) CHECK(again[i].different == all[i].different);
}

TEST_CASE("a_pass_under_a_model_is_compared_alone") {
  sim::arm a = test::tiny_arms()[1];
  a.formats.dgrad.model = mx::model_named("exact.rne");
  const auto all = differences_of(study_with({}), a);
  REQUIRE(all.size() == 1);
  CHECK(all[0].pass == sim::pass::dgrad);
}

TEST_CASE("a_line_names_the_arm_that_training_would_repeat") {
  const sim::study s = study_with({});
  const sim::arm a = under("exact", "exact.rne");
  CHECK(
      sim::line_of(s, a, {{sim::pass::forward, 80, 0}, {sim::pass::wgrad, 10, 0}}) ==
      "exact: results of step 1 that differ from fp32.fma's: forward 0 %, wgrad 0 %; every result "
      "equals fp32.fma's: training would repeat arm mxfp4");
  CHECK(sim::line_of(s, a, {{sim::pass::forward, 80, 0}, {sim::pass::wgrad, 1000, 1}}) ==
        "exact: results of step 1 that differ from fp32.fma's: forward 0 %, wgrad 0.1 %");
  sim::arm noisy = a, masked = a;
  noisy.noise = sim::rollout_noise::adaptive;
  masked.correction = sim::mismatch::truncated_importance;
  for (const sim::arm& other : {noisy, masked}) {
    CHECK(
        sim::line_of(s, other, {{sim::pass::dgrad, 1, 0}}).find("repeat this arm under fp32.fma") !=
        std::string::npos);
  }
}

TEST_CASE("a_run_reports_the_shares_of_arms_under_other_models_once") {
  const test::scratch_folder scratch;
  const sim::study s = study_with({under("exact", "exact.rne")});
  std::vector<std::string> notes;
  REQUIRE(sim::run_study({s, scratch / "run", sim::existing_run::fresh, 0, nullptr,
                          [&](const sim::progress& p) {
                            if (p.what == sim::progress::kind::note) notes.push_back(p.name);
                          }}) == sim::run_end::finished);
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].rfind("exact: results of step 1", 0) == 0);
  const std::string rows = test::contents_of(scratch / "run" / "metrics.csv");
  for (const char* pass : {"rollout", "forward", "dgrad", "wgrad"}) {
    INFO(pass);
    CHECK(rows.find(std::string("train,exact,1,0,,") + pass + ",,model_difference,") !=
          std::string::npos);
  }
  CHECK(rows.find("mxfp4,1,0,,forward") == std::string::npos);
}

}  // namespace
