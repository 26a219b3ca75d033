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
  CHECK(plan.studies.front().base.grpo.steps == 2);
  CHECK(plan.studies.front().base.grpo.prompts == 4);
  CHECK(plan.studies.front().base.arms[1].training == sim::arm_training::grpo);
  CHECK(plan.studies.front().base.arms[2].training == sim::arm_training::none);
  CHECK(plan.studies.front().seeds == std::vector<std::uint64_t>{101, 102, 103});
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
  const std::string replayed =
      changed(claims_text, "phase = \"frozen\"", "phase = \"additivity\"\nstep = 1");
  const sim::claims_plan plan = claims_folder().plan(changed(replayed, "outliers = 4\n", ""));
  CHECK(plan.metrics[0].phase == "additivity");
  CHECK(plan.metrics[0].step == 1);
}

TEST_CASE("seeds_share_a_hash_that_a_changed_study_changes") {
  const claims_folder at;
  const sim::claims_plan plan = at.plan();
  CHECK(sim::study_of(plan, {0, 102}).seed == 102);
  CHECK(sim::study_hash(sim::study_of(plan, {0, 101})) !=
        sim::study_hash(sim::study_of(plan, {0, 102})));
  const auto hash = [&](const std::string& text) {
    return sim::shared_hash(at.plan(text).studies.front());
  };
  CHECK(hash(changed(claims_text, "says", "#says")) == hash(claims_text));
  // Neither of which leaves the claim about trained arms as it is.
  const std::string frozen = changed(changed(claims_text, "\"train\"", "\"frozen\""),
                                     "step = 2\nfactor = -1.0\ndiverged = 0.0", "factor = -1.0");
  for (const auto& [from, to] :
       {std::pair{"steps=2", "steps=3"}, {", \"mxfp4\"]\nfirst", "]\nfirst"}}) {
    CHECK(hash(changed(changed(frozen, from, to), "outliers = 4\n", "")) != hash(claims_text));
  }
}

TEST_CASE("a_claims_file_has_several_studies_each_with_seeds_and_a_hash") {
  const sim::claims_plan plan = claims_folder().plan(test::two_studies);
  REQUIRE(plan.studies.size() == 2);
  const sim::planned_study& deep = plan.studies[1];
  CHECK(deep.name == "deep");
  CHECK(deep.base.policy.layers == 3);
  CHECK(plan.studies[0].base.policy.layers == 2);
  CHECK(deep.base.arms[1].training == sim::arm_training::none);
  CHECK(sim::shared_hash(deep) != sim::shared_hash(plan.studies[0]));
  using runs = std::vector<sim::planned_run>;
  CHECK(sim::runs_of(plan) == runs{{0, 101}, {0, 102}, {0, 103}, {1, 1}, {1, 2}});
  CHECK(sim::name_of(plan, {0, 101}) == "101");
  CHECK(sim::name_of(plan, {1, 1}) == "deep/1");
  CHECK(sim::study_of(plan, {1, 2}).seed == 2);
  const sim::stated_claim& depth = plan.claims[2];
  CHECK(depth.rule == sim::claim_rule::spread);
  CHECK((depth.within.low == 0.5 && depth.within.high == 2));
  CHECK(plan.metrics[depth.contrasts[0].metric].study == 1);
  CHECK(plan.metrics[depth.contrasts[1].metric].study == 0);
}

TEST_CASE("a_bound_and_the_papers_effect_are_read") {
  const std::string text = changed(changed(claims_text, "\"positive\"", "\"at most\""),
                                   "margin = \"0.2 mxfp4 - 0.2 fp32\"",
                                   "expected = 0.1\npaper_effect = 0.5\npilot = \"too few\"");
  const sim::stated_claim claim = claims_folder().plan(text).claims.front();
  CHECK(claim.rule == sim::claim_rule::at_most);
  CHECK(claim.contrasts[0].expected == 0.1);
  CHECK(claim.paper_effect == 0.5);
  CHECK(claim.pilot == "too few");
}

TEST_CASE("an_arm_without_training_is_written_read_and_hashed") {
  const claims_folder at;
  sim::study s = at.plan().studies.front().base;
  const std::string hash = sim::study_hash(s);
  test::put_contents(at.folder / "resolved.toml", sim::resolved_toml(s));
  const sim::study back = sim::read_study(at.folder / "resolved.toml");
  CHECK(back.arms[2].training == sim::arm_training::none);
  CHECK(sim::study_hash(back) == hash);
  s.arms[2].training = sim::arm_training::grpo;
  CHECK(sim::study_hash(s) != hash);
  CHECK(sim::resolved_toml(s).find("training") == std::string::npos);
}

TEST_CASE("an_update_of_an_arms_own_is_written_for_trained_arms_alone") {
  const claims_folder at;
  test::put_contents(at.folder / "study.toml",
                     changed(test::study_text, "name = \"rollout\"",
                             "name = \"rollout\"\nlearning_rate = 0.125\noptimizer = \"adamw\"\n"
                             "weight_decay = 0.5"));
  sim::study s = at.plan().studies.front().base;
  test::put_contents(at.folder / "resolved.toml", sim::resolved_toml(s));
  const sim::study back = sim::read_study(at.folder / "resolved.toml");
  CHECK(back.arms[2].training == sim::arm_training::none);
  CHECK(sim::study_hash(back) == sim::study_hash(s));
  s.arms[2].training = sim::arm_training::grpo;
  test::put_contents(at.folder / "resolved.toml", sim::resolved_toml(s));
  const sim::study trained = sim::read_study(at.folder / "resolved.toml");
  CHECK(trained.arms[2].learning_rate == 0.125F);
  CHECK(trained.arms[2].optimizer == sim::optimizer_kind::adamw);
  CHECK(trained.arms[2].weight_decay == 0.5F);
}

TEST_CASE("a_wrong_second_study_is_refused_by_key") {
  struct {
    const char *from, *to, *told;
  } const table[] = {
      {"[studies.deep]\nstudy = \"study.toml\"", "[studies.deep]", "key 'studies.deep.study'"},
      {"[studies.deep]\nstudy = \"study.toml\"", "[studies.deep]\nstudy = \"absent.toml\"",
       "absent.toml: expected a study file in TOML"},
      {"[studies.deep]", "[studies.main]", "key 'studies.main': expected a name of"},
      {"[studies.deep]", "[studies.seed-1]", "key 'studies.seed-1': expected a name of"},
      {"[studies.deep]", "[studies.\"../x\"]", "key 'studies.../x': expected a name of"},
      {"study = \"deep\"", "study = \"depp\"", "expected main or deep, found depp"},
      {"first_seed = 1\n", "", "key 'studies.deep.first_seed'"},
      {"trained = []", "trained = [\"x\"]", "key 'studies.deep.trained': expected arms"},
      {"trained = []", "level = 0.05", "key 'studies.deep.level': unknown key"},
      {"study = \"deep\"\nphase = \"frozen\"", "study = \"deep\"\nphase = \"train\"",
       "expected arms that `trained` lists"},
  };
  for (const auto& row : table) {
    CAPTURE(row.to);
    const std::string told = refusal(changed(test::two_studies, row.from, row.to));
    CAPTURE(told);
    CHECK(told.find(row.told) != std::string::npos);
  }
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
      {"first_seed = 101", "first_seed = 9223372036854775806",
       "key 'first_seed': expected 3 seeds of at most 2^63 - 1"},
      {"grpo.steps=2", "grpo.stebs=2", "grpo.stebs"},
      {"grpo.prompts=4", "grpo.steps=4",
       "override 'grpo.steps=2' and override 'grpo.steps=4' both set grpo.steps"},
      {"grpo.prompts=4", "seed = 5",
       "key 'overrides': 'seed = 5' and first_seed both set the seed; remove the override"},
      {"[\"fp32\", \"mxfp4\"]\nfirst", "[\"fp33\"]\nfirst", "key 'trained': expected arms"},
      {"\"rollout\", \"rollout\", \"mxfp4\"]", "\"mxfp4\"]",
       "key 'meanings.injection': expected arms"},
      {"\"rollout\", \"mxfp4\"]", "\"x\", \"mxfp4\"]", "key 'meanings.injection': expected arms"},
      {"phase = \"train\"", "phase = \"training\"", "key 'metrics.loss.phase'"},
      {"phase = \"train\"", "phase = \"frozen\"",
       "key 'metrics.loss.step': has no effect with phase = \"frozen\"; remove step"},
      {"diverged = 0.0", "outliers = 4",
       "key 'metrics.loss.outliers': has no effect with phase = \"train\"; remove outliers"},
      {"outliers = 4", "outliers = 4\ndiverged = 0.0",
       "key 'metrics.kl.diverged': has no effect with phase = \"frozen\""},
      {"outliers = 4", "outliers = 8", "key 'metrics.kl.outliers': expected a factor of the study"},
      {"step = 2", "step = 3", "key 'metrics.loss.step': expected an integer from 0 to 2"},
      {"step = 2", "study = \"deep\"", "key 'metrics.loss.study': expected main, found deep"},
      {"outliers = 4", "outlier = 4", "key 'metrics.kl.outlier': unknown key"},
      {"factor = -1.0", "factor = \"x\"", "key 'metrics.loss.factor'"},
      {"rule = \"positive\"", "rule = \"larger\"", "key 'claim.rule'"},
      {"metric = \"loss\"", "metric = \"lost\"", "key 'claim.metric': expected a name that"},
      {"mxfp4 - fp32\"]", "mxfp4-fp32\"]", "key 'claim.contrasts': expected arms of the study"},
      {"mxfp4 - fp32\"]", "mxfp4 fp32\"]", "key 'claim.contrasts': expected a contrast such as"},
      {"mxfp4 - fp32\"]", "rollout - fp32\"]", "expected arms that `trained` lists"},
      {"injection = [\"fp32\", \"fp32\", \"fp32\", \"fp32\", \"rollout\", \"rollout\", "
       "\"rollout\", "
       "\"mxfp4\"]",
       "", "key 'claim.contrasts': expected [meanings] for Shapley values, found none"},
      {"shapley.G", "shapley.X", "expected shapley.S, shapley.D or shapley.G"},
      {"margin = 0.01", "margin = 0", "key 'claim.margin': expected a number above 0"},
      {"margin = 0.01", "", "key 'claim.margin': expected what counts as equal"},
      {"name = \"grid\"", "name = \"gap\"", "a name that no other claim has"},
      {"expected = -0.5", "expectd = -0.5", "unknown key"},
      {"\"equivalent\"", "\"zero\"",
       "key 'claim.margin': has no effect with rule = \"zero\"; remove margin, or change rule"},
      {"\"equivalent\"", "\"spread\"", "key 'claim.within': expected two numbers above 0"},
      {"\"equivalent\"", "\"spread\"\nwithin = [2, 1]", "expected two numbers above 0"},
      {"\"equivalent\"", "\"spread\"\nwithin = [1, 2]\npaper_effect = 1",
       "key 'claim.paper_effect': has no effect with rule = \"spread\""},
      {"\"equivalent\"", "\"equivalent\"\nwithin = [1, 2]",
       "key 'claim.within': has no effect with rule = \"equivalent\""},
      {"\"positive\"", "\"at most\"", "key 'claim.expected': expected the number that"},
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
