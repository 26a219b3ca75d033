// SPDX-License-Identifier: Apache-2.0
// tests/pretrained/starting_policy_test.cpp: a study whose policy is a checkpoint: its shape, its
// parameters, its hash, and what contradicts it.
#include "sim/pretrained/starting_policy.h"

#include <filesystem>

#include "catch.h"
#include "golden/io/file.h"
#include "scratch_folder.h"
#include "sim/pretrained/model_weights.h"
#include "sim/study/study_file.h"
#include "sim/train/run.h"

namespace {

namespace fs = std::filesystem;
using test::scratch_folder;

sim::policy_shape other_shape() {
  sim::policy_shape s;
  s.width = 32;
  s.layers = 1;
  s.heads = 2;
  s.kv_heads = 2;
  s.head_width = 16;
  s.hidden = 64;
  s.vocabulary = 48;
  s.rope_theta = 5000;
  return s;
}

std::vector<float> save_other(const fs::path& folder, std::uint64_t seed = 5) {
  const sim::parameter_table table(other_shape());
  std::vector<float> weights = sim::initial_weights(table, seed);
  sim::save_model(folder, table, weights, sim::saved_numbers::fp32);
  return weights;
}


/// A study of few steps beside the checkpoint `m`.
fs::path study_beside(const scratch_folder& scratch, const std::string& policy = "") {
  const fs::path file = scratch / "study.toml";
  test::put_contents(file,
                     "[policy]\ncheckpoint = \"m\"\n" + policy +
                         "[task]\ndigits = 1\n[warm_up]\nschedule = \"fixed\"\nsteps = 0\n"
                         "[grpo]\nsteps = 1\nprompts = 2\nsamples = 2\n"
                         "[measurement]\nfrozen_batches = 2\nevaluation_problems = 4\n"
                         "final_problems = 4\n[outliers]\nfactors = [1]\n" +
                         "[[arm]]\nname = \"fp32\"\n");
  return file;
}

std::string error_of(const fs::path& file) {
  try {
    static_cast<void>(sim::read_study(file));
  } catch (const sim::study_error& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a_study_takes_shape_and_parameters_from_its_checkpoint") {
  const scratch_folder scratch;
  const std::vector<float> weights = save_other(scratch / "m");
  sim::study s = sim::read_study(study_beside(scratch));
  sim::policy_shape expected = other_shape();
  expected.source = s.policy.source;
  CHECK(s.policy == expected);
  CHECK(fs::path(s.policy.source.file) == scratch / "m");
  CHECK_THROWS_AS(sim::starting_weights(sim::parameter_table(s.policy), 1), std::invalid_argument);
  sim::load_policy(s);
  CHECK(sim::starting_weights(sim::parameter_table(s.policy), 1) == weights);
  CHECK(s.policy.source.sha256 == sim::hash_of(weights));
}

TEST_CASE("keys_that_contradict_the_checkpoint_are_refused") {
  const scratch_folder scratch;
  save_other(scratch / "m");
  CHECK(error_of(study_beside(scratch, "width = 32\nheads = 2\n")).empty());
  const std::string error = error_of(study_beside(scratch, "width = 64\n"));
  CAPTURE(error);
  CHECK(error.find("contradicts its checkpoint") != std::string::npos);
  CHECK(error.find("policy.width is 32 there and 64 here") != std::string::npos);
}

TEST_CASE("a_study_is_the_same_wherever_its_checkpoint_is_and_another_with_other_parameters") {
  const scratch_folder scratch;
  save_other(scratch / "m");
  sim::study s = sim::read_study(study_beside(scratch));
  sim::load_policy(s);
  const std::string hash = sim::study_hash(s);
  test::put_contents(scratch / "resolved.toml", sim::resolved_toml(s));
  fs::rename(scratch / "m", scratch / "moved");
  const sim::study back = sim::read_study(scratch / "resolved.toml");
  CHECK(sim::study_hash(back) == hash);
  CHECK(back.policy == s.policy);
  save_other(scratch / "m", 6);
  sim::study other = sim::read_study(scratch / "resolved.toml");
  CHECK_THROWS_AS(sim::load_policy(other), sim::checkpoint_error);
}

TEST_CASE("a_run_starts_from_the_checkpoint_and_ends_finished") {
  const scratch_folder scratch;
  save_other(scratch / "m");
  sim::study s = sim::read_study(study_beside(scratch));
  sim::load_policy(s);
  CHECK(sim::run_study({s, scratch / "run", sim::existing_run::fresh, 0, nullptr, nullptr}) ==
        sim::run_end::finished);
  CHECK(fs::exists(scratch / "run" / "metrics.csv"));
}
