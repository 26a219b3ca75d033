// SPDX-License-Identifier: Apache-2.0
// tests/claims/claims_file_test.cpp: every key of a claims file, and errors that name file and key.
#include "sim/claims/claims_file.h"

#include "catch.h"
#include "sim/study/sha256.h"
#include "tests/claims/claims_text.h"

namespace {

using test::changed;
using test::claims_folder;
using test::claims_text;

std::string refusal(const std::string& text) {
  try {
    static_cast<void>(claims_folder().plan(text));
  } catch (const sim::input_error& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a_claims_file_is_read_whole") {
  const sim::claims_plan plan = claims_folder().plan();
  CHECK(plan.sha256 == sim::sha256_of(claims_text));
  CHECK(plan.base.grpo.steps == 2);
  CHECK(plan.base.grpo.prompts == 4);
  CHECK(plan.base.arms[1].training == sim::arm_training::grpo);
  CHECK(plan.base.arms[2].training == sim::arm_training::none);
  CHECK(plan.seeds == std::vector<std::uint64_t>{101, 102, 103});
  CHECK(plan.level == 0.05);
  REQUIRE(plan.metrics.size() == 3);
  const sim::chosen_metric &kl = plan.metrics[0], &loss = plan.metrics[1];
  CHECK((kl.phase == "frozen" && kl.metric == "kl" && kl.outliers == 4 && !kl.step));
  CHECK((loss.step == 2 && loss.factor == -1 && loss.diverged == 0.0));
  const sim::chosen_metric& entropy = plan.metrics[plan.claims[1].contrasts[2].metric];
  CHECK((entropy.name == "entropy" && entropy.metric == "entropy" && entropy.outliers == 4));
  REQUIRE(plan.claims.size() == 2);
  CHECK(plan.claims[0].contrasts[0].margin->contrast->terms[1].weight == -0.2);
  CHECK(plan.claims[1].contrasts[0].margin->number == 0.01);
  CHECK(plan.claims[1].contrasts[1].margin->number == 0.25);
  CHECK(plan.claims[1].contrasts[1].expected == -0.5);
  CHECK(plan.claims[1].contrasts[1].metric == 1);
  CHECK(plan.meanings.front().arms[7] == "mxfp4");
}

TEST_CASE("a_metric_may_be_of_replayed_steps") {
  const sim::claims_plan plan = claims_folder().plan(
      changed(claims_text, "phase = \"frozen\"", "phase = \"additivity\"\nstep = 5"));
  CHECK(plan.metrics[0].phase == "additivity");
  CHECK(plan.metrics[0].step == 5);
}

TEST_CASE("seeds_share_a_hash_that_a_changed_study_changes") {
  const claims_folder at;
  const sim::claims_plan plan = at.plan();
  CHECK(sim::study_of(plan, 102).seed == 102);
  CHECK(sim::study_hash(sim::study_of(plan, 101)) != sim::study_hash(sim::study_of(plan, 102)));
  CHECK(sim::shared_hash(at.plan(changed(claims_text, "says", "#says"))) == sim::shared_hash(plan));
  for (const auto& [from, to] :
       {std::pair{"steps=2", "steps=3"}, {", \"mxfp4\"]\nfirst", "]\nfirst"}}) {
    const auto other = changed(changed(claims_text, from, to), "\"train\"", "\"warm-up\"");
    CHECK(sim::shared_hash(at.plan(other)) != sim::shared_hash(plan));
  }
}

TEST_CASE("an_arm_without_training_is_written_read_and_hashed") {
  const claims_folder at;
  sim::study s = at.plan().base;
  const std::string hash = sim::study_hash(s);
  test::put_contents(at.folder / "resolved.toml", sim::resolved_toml(s));
  const sim::study back = sim::read_study(at.folder / "resolved.toml");
  CHECK(back.arms[2].training == sim::arm_training::none);
  CHECK(sim::study_hash(back) == hash);
  s.arms[2].training = sim::arm_training::grpo;
  CHECK(sim::study_hash(s) != hash);
  CHECK(sim::resolved_toml(s).find("training") == std::string::npos);
}

TEST_CASE("a_wrong_claims_file_is_refused_by_key") {
  struct {
    const char *from, *to, *told;
  } const table[] = {
      {"study =", "studi =", "key 'study': expected a study file"},
      {"seeds = 3", "seeds = 1", "key 'seeds': expected"},
      {"seeds = 3", "seeds = 41", "key 'seeds': expected"},
      {"seeds = 3", "seeds = 3\nlevel = 0", "key 'level': expected a number from 0.001 to 0.5"},
      {"first_seed", "first_sead", "key 'first_seed': expected the first"},
      {"grpo.steps=2", "grpo.stebs=2", "grpo.stebs"},
      {"[\"fp32\", \"mxfp4\"]\nfirst", "[\"fp33\"]\nfirst", "key 'trained': expected arms"},
      {"\"rollout\", \"rollout\", \"mxfp4\"]", "\"mxfp4\"]",
       "key 'meanings.injection': expected arms"},
      {"\"rollout\", \"mxfp4\"]", "\"x\", \"mxfp4\"]", "key 'meanings.injection': expected arms"},
      {"phase = \"train\"", "phase = \"training\"", "key 'metrics.loss.phase'"},
      {"outliers = 4", "outlier = 4", "key 'metrics.kl.outlier': unknown key"},
      {"factor = -1.0", "factor = \"x\"", "key 'metrics.loss.factor'"},
      {"rule = \"positive\"", "rule = \"larger\"", "key 'claim.rule'"},
      {"metric = \"loss\"", "metric = \"lost\"", "key 'claim.metric': expected a name that"},
      {"mxfp4 - fp32\"]", "mxfp4-fp32\"]", "key 'claim.contrasts': expected arms of the study"},
      {"mxfp4 - fp32\"]", "mxfp4 fp32\"]", "key 'claim.contrasts': expected a contrast such as"},
      {"mxfp4 - fp32\"]", "rollout - fp32\"]", "expected arms that `trained` lists"},
      {"shapley.G", "shapley.X", "expected shapley.S, shapley.D or shapley.G"},
      {"margin = 0.01", "margin = 0", "key 'claim.margin': expected a number above 0"},
      {"margin = 0.01", "", "key 'claim.margin': expected what counts as equal"},
      {"name = \"grid\"", "name = \"gap\"", "a name that no other claim has"},
      {"expected = -0.5", "expectd = -0.5", "unknown key"},
      {"[[claim]]", "[[claims]]", "key 'claims': unknown key"},
  };
  for (const auto& row : table) {
    CAPTURE(row.to);
    const std::string told = refusal(changed(claims_text, row.from, row.to));
    CAPTURE(told);
    CHECK((told.find("claims.toml") != std::string::npos || told.starts_with("override 'grpo")));
    CHECK(told.find(row.told) != std::string::npos);
  }
}
