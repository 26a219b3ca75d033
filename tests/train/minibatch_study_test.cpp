// SPDX-License-Identifier: Apache-2.0
// tests/train/minibatch_study_test.cpp: sim/studies/minibatch.toml, shortened: clips take effect, and
// the bytes of a run with several updates a batch do not depend on how it is carried out.
#include <atomic>
#include <cstdlib>

#include "catch.h"
#include "scratch_folder.h"
#include "sim/study/study_file.h"
#include "sim/train/run.h"

namespace {

using test::contents_of;
using test::scratch_folder;

/// The shipped study with a small policy and few steps.
sim::study shipped(std::vector<std::string> more = {}) {
  const char* root = std::getenv("MX_SOURCE_DIR");
  REQUIRE(root != nullptr);
  std::vector<std::string> keys{"policy.width=32",
                                "policy.head_width=32",
                                "policy.layers=1",
                                "policy.heads=2",
                                "policy.kv_heads=1",
                                "policy.hidden=64",
                                "task.digits=1",
                                "warm_up.steps=96",
                                "warm_up.sequences=16",
                                "warm_up.learning_rate=1e-2",
                                "warm_up.ramp_steps=6",
                                "warm_up.schedule=fixed",
                                "warm_up.gate_problems=16",
                                "grpo.steps=3",
                                "grpo.prompts=4",
                                "grpo.ramp_steps=1",
                                "grpo.learning_rate=1e-2",
                                "measurement.frozen_batches=2",
                                "measurement.evaluation_problems=16",
                                "measurement.final_problems=16"};
  keys.insert(keys.end(), more.begin(), more.end());
  return sim::read_study(std::string(root) + "/sim/studies/minibatch.toml", keys);
}

struct results {
  std::string hashes, metrics;
  friend bool operator==(const results&, const results&) = default;
};

results run_of(const sim::study& s) {
  const scratch_folder scratch;
  REQUIRE(sim::run_study({s, scratch / "run", sim::existing_run::fresh, 0, nullptr, nullptr}) ==
          sim::run_end::finished);
  return {contents_of(scratch / "run" / "hashes.csv"),
          contents_of(scratch / "run" / "metrics.csv")};
}

/// Number of rows of a metric whose value is neither 0 nor absent.
int rows_above_zero(const std::string& metrics, const std::string& name) {
  int count = 0;
  const std::string key = "," + name + ",";
  for (std::size_t at = 0; (at = metrics.find(key, at)) != std::string::npos; ++at) {
    count += std::atof(metrics.c_str() + at + key.size()) > 0 ? 1 : 0;
  }
  return count;
}

TEST_CASE("the_minibatch_study_clips_and_its_clip_keys_change_bits") {
  const results plain = run_of(shipped());
  for (const char* name :
       {"clip_ratio/low_mean", "clip_ratio/high_mean", "rollout_corr/exact_kl"}) {
    INFO(name);
    CHECK(rows_above_zero(plain.metrics, name) > 0);
  }
  for (const char* change : {"grpo.ratio_low=0.05", "grpo.ratio_high=0.05"}) {
    INFO(change);
    CHECK(run_of(shipped({change})).hashes != plain.hashes);
  }
}

TEST_CASE("bytes_of_several_updates_depend_on_neither_threads_nor_micro_batch_nor_a_stop") {
  const results plain = run_of(shipped());
  for (const auto& [threads, micro_batch] : {std::pair{1, 1}, std::pair{3, 5}}) {
    sim::study s = shipped();
    s.run = {threads, micro_batch};
    INFO(threads << " threads, micro-batch " << micro_batch);
    const bool same = run_of(s) == plain;
    CHECK(same);
  }
  const scratch_folder scratch;
  std::atomic<int> stop = 0;
  const auto in_training = [&](const sim::progress& p) {
    if (p.what == sim::progress::kind::arm_step && p.done == 2) stop = 2;
  };
  CHECK(sim::run_study({shipped(), scratch / "run", sim::existing_run::fresh, 0, &stop,
                        in_training}) == sim::run_end::stopped);
  CHECK(sim::run_study({shipped(), scratch / "run", sim::existing_run::resume, 0, nullptr,
                        nullptr}) == sim::run_end::finished);
  CHECK(contents_of(scratch / "run" / "hashes.csv") == plain.hashes);
}

}  // namespace
