// SPDX-License-Identifier: Apache-2.0
// tests/train/algorithm_studies_test.cpp: sim/studies of named algorithms and of several updates a
// batch, shortened: their keys take effect, and the bytes of a run do not depend on how it is
// carried out.
#include <atomic>
#include <cstdlib>

#include "catch.h"
#include "scratch_folder.h"
#include "sim/study/study_file.h"
#include "sim/train/run.h"

namespace {

using test::contents_of;
using test::scratch_folder;

/// A shipped study with a small policy and few steps.
sim::study shipped(const std::string& name, std::vector<std::string> more = {}) {
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
                                "outliers.norm_channels=[]",
                                "outliers.hidden_units=[]",
                                "grpo.steps=4",
                                "grpo.prompts=8",
                                "grpo.samples=4",
                                "grpo.ramp_steps=1",
                                "grpo.learning_rate=1e-2",
                                "measurement.frozen_batches=2",
                                "measurement.evaluation_problems=16",
                                "measurement.final_problems=16"};
  keys.insert(keys.end(), more.begin(), more.end());
  return sim::read_study(std::string(root) + "/sim/studies/" + name, keys);
}

struct results {
  std::string hashes, metrics;
  friend bool operator==(const results&, const results&) = default;
};

results results_in(const std::filesystem::path& folder) {
  return {contents_of(folder / "hashes.csv"), contents_of(folder / "metrics.csv")};
}

results run_of(const sim::study& s) {
  const scratch_folder scratch;
  REQUIRE(sim::run_study({s, scratch / "run", sim::existing_run::fresh, 0, nullptr, nullptr}) ==
          sim::run_end::finished);
  return results_in(scratch / "run");
}

results stopped_run_of(const sim::study& s) {
  const scratch_folder scratch;
  std::atomic<int> stop = 0;
  const auto in_training = [&](const sim::progress& p) {
    if (p.what == sim::progress::kind::arm_step && p.done == 2) stop = 2;
  };
  CHECK(sim::run_study({s, scratch / "run", sim::existing_run::fresh, 0, &stop, in_training}) ==
        sim::run_end::stopped);
  CHECK(sim::run_study({s, scratch / "run", sim::existing_run::resume, 0, nullptr, nullptr}) ==
        sim::run_end::finished);
  return results_in(scratch / "run");
}

/// Number of rows of a metric whose value is above 0.
int rows_above_zero(const std::string& metrics, const std::string& name) {
  int count = 0;
  const std::string key = "," + name + ",";
  for (std::size_t at = 0; (at = metrics.find(key, at)) != std::string::npos; ++at) {
    count += std::atof(metrics.c_str() + at + key.size()) > 0 ? 1 : 0;
  }
  return count;
}

/// A shipped study, and what is checked of it.
struct algorithm {
  const char* study;
  std::vector<std::string> changes;  ///< each of which changes a bit
  std::vector<const char*> positive;
};

const algorithm algorithms[] = {
    {"dr-grpo.toml",
     {"grpo.advantage=leave_one_out", "grpo.aggregation=sequence_mean"},
     {"reward_std"}},
    {"rloo.toml", {"grpo.advantage=group_mean"}, {"reward_std"}},
    {"grpo-kl.toml",
     {"grpo.kl_coefficient=0.05", "grpo.kl_estimator=exact", "grpo.kl_estimator=k2",
      "grpo.schedule=linear", "grpo.schedule=cosine"},
     {"kl", "exact_kl", "actor/kl_loss"}},
    {"dapo.toml",
     {"grpo.max_redraws=0", "grpo.overlong_cache=14", "grpo.weight_decay=0.2", "grpo.decayed=all",
      "task.max_response_length=0", "grpo.ratio_high=0.05"},
     {"train/num_gen_batches", "dynamic_sampling/frac_reward_zero_std", "rewards/solved/mean",
      "completions/clipped_ratio"}},
    {"minibatch.toml",
     {"grpo.ratio_low=0.05", "grpo.ratio_high=0.05"},
     {"clip_ratio/low_mean", "clip_ratio/high_mean", "rollout_corr/exact_kl"}}};

TEST_CASE("keys_of_named_algorithms_change_bits_and_their_figures_are_told") {
  for (const algorithm& a : algorithms) {
    INFO(a.study);
    const results plain = run_of(shipped(a.study));
    for (const char* name : a.positive) {
      INFO(name);
      CHECK(rows_above_zero(plain.metrics, name) > 0);
    }
    for (const std::string& change : a.changes) {
      INFO(change);
      std::vector<std::string> keys{change};
      if (change == "task.max_response_length=0") keys.emplace_back("grpo.overlong_cache=0");
      CHECK(run_of(shipped(a.study, keys)).hashes != plain.hashes);
    }
  }
}

TEST_CASE("bytes_of_named_algorithms_depend_on_neither_threads_nor_micro_batch_nor_a_stop") {
  std::vector<sim::study> studies;
  for (const algorithm& a : algorithms) studies.push_back(shipped(a.study));
  studies.push_back(shipped("grpo-kl.toml", {"grpo.kl_estimator=exact", "grpo.minibatches=2"}));
  for (const sim::study& study : studies) {
    INFO(study.name << ", " << study.grpo.minibatches << " updates");
    const results plain = run_of(study);
    for (const auto& [threads, micro_batch] : {std::pair{1, 1}, std::pair{3, 5}}) {
      sim::study s = study;
      s.run = {threads, micro_batch};
      INFO(threads << " threads, micro-batch " << micro_batch);
      const bool same = run_of(s) == plain;
      CHECK(same);
    }
    const bool same_after_a_stop = stopped_run_of(study) == plain;
    CHECK(same_after_a_stop);
  }
}

}  // namespace
