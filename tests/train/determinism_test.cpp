// SPDX-License-Identifier: Apache-2.0
// tests/train/determinism_test.cpp: sim/train/run.h: a study gives the same bytes for any
// instruction set, any number of threads, any portions, and any interruption.
#include <algorithm>
#include <atomic>

#include "catch.h"
#include "mx/tensor/bulk.h"
#include "scratch_folder.h"
#include "sim/train/run.h"
#include "tiny_study.h"

namespace {

using sim::existing_run;
using sim::run_end;
using test::contents_of;
using test::scratch_folder;

struct results {
  std::string hashes, metrics, lines;
  friend bool operator==(const results&, const results&) = default;
};

results results_in(const std::filesystem::path& folder) {
  return {contents_of(folder / "hashes.csv"), contents_of(folder / "metrics.csv"),
          contents_of(folder / "metrics.jsonl")};
}

results straight_run(const sim::study& s) {
  const scratch_folder scratch;
  REQUIRE(sim::run_study({s, scratch / "run", existing_run::fresh, 0, nullptr, nullptr}) ==
          run_end::finished);
  return results_in(scratch / "run");
}

const results& expected() {
  static const results r = straight_run(test::tiny_study());
  return r;
}

std::size_t lines_of(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST_CASE("the_tiny_study_learns_something_that_could_differ") {
  const results& r = expected();
  CHECK(lines_of(r.hashes) == 1 + 1 + 5 * 4);
  CHECK(lines_of(r.metrics) == lines_of(r.lines) + 1);
  // Nearly every step has a gradient, so some rollouts are right and some are wrong.
  std::size_t moving = 0, norms = 0;
  for (std::size_t at = 0; (at = r.metrics.find(",grad_norm,", at)) != std::string::npos; ++at) {
    ++norms;
    moving += r.metrics.substr(at + 11, 2) != "0," ? 1 : 0;
  }
  CHECK(norms == 96 + 5 * 4);
  CHECK(moving >= norms - 3);
}

TEST_CASE("bytes_do_not_depend_on_threads_or_micro_batch") {
  for (const int threads : {1, 2, 3}) {
    for (const int micro_batch : {0, 1, 5}) {
      sim::study s = test::tiny_study();
      s.run = {threads, micro_batch};
      INFO(threads << " threads, micro-batch " << micro_batch);
      const results found = straight_run(s);
      CHECK(found.hashes == expected().hashes);
      const bool same = found == expected();
      CHECK(same);
    }
  }
}

/// Few steps of arms that draw random bits and multiply codes.
sim::study drawn_study() {
  sim::study s = test::tiny_study();
  s.warm_up.steps = 40;
  s.grpo.steps = 3;
  s.outliers.factors = {1};
  s.arms.resize(1);
  s.arms.push_back(test::drawn_arm());
  sim::arithmetic& values = s.arms.emplace_back(test::drawn_arm()).formats;
  s.arms.back().name = "drawn-values";
  for (sim::pass_format* f : {&values.rollout, &values.forward, &values.dgrad, &values.wgrad}) {
    f->model = mx::model_named("fp32.fma");
  }
  values.dgrad.source = sim::operand_source::forward;
  return s;
}

TEST_CASE("random_bits_and_products_under_models_depend_on_neither_either") {
  const results straight = straight_run(drawn_study());
  for (const sim::execution& run :
       {sim::execution{1, 1}, sim::execution{2, 5}, sim::execution{3, 0}}) {
    sim::study s = drawn_study();
    s.run = run;
    INFO(run.threads << " threads, micro-batch " << run.micro_batch);
    const bool same = straight_run(s) == straight;
    CHECK(same);
  }
}

/// Products of wgrad over 4 sequences, and over a whole batch, for which a micro-batch is chosen.
sim::study packed_study() {
  sim::study s = drawn_study();
  s.grpo.prompts = 8;
  s.grpo.steps = 2;
  s.arms.resize(2);
  s.arms[1].formats.wgrad.sequences = 4;
  s.arms.push_back({"whole", test::everywhere(test::mxfp4()), {}, {}});
  s.arms[2].formats.wgrad.sequences = 64;
  return s;
}

TEST_CASE("products_of_several_sequences_depend_on_neither_either") {
  const results straight = straight_run(packed_study());
  for (const sim::execution& run : {sim::execution{1, 64}, sim::execution{3, 128}}) {
    sim::study s = packed_study();
    s.run = run;
    INFO(run.threads << " threads, micro-batch " << run.micro_batch);
    const bool same = straight_run(s) == straight;
    CHECK(same);
  }
}

TEST_CASE("bytes_do_not_depend_on_the_instruction_set") {
  // Short: one of the sets has no vectors at all.
  sim::study s = test::tiny_study();
  s.warm_up.steps = 32;
  s.warm_up.sequences = 8;
  s.grpo.steps = 2;
  s.outliers.factors = {1};
  const results widest = straight_run(s);
  for (const std::string& set : mx::instruction_sets()) {
    mx::use_instruction_set(set);
    const results found = straight_run(s);
    mx::use_instruction_set("");
    INFO(set);
    const bool same = found == widest;
    CHECK(same);
  }
}

/// Runs until `calls` progress calls, then requests a stop.
run_end run_for(int calls, const sim::study& s, const std::filesystem::path& folder) {
  std::atomic<int> stop = 0;
  int seen = 0;
  const bool begun = std::filesystem::exists(folder / "study.toml");
  return sim::run_study({s, folder, begun ? existing_run::resume : existing_run::fresh, 0, &stop,
                         [&](const sim::progress&) {
                           if (++seen >= calls) stop = 2;
                         }});
}

TEST_CASE("a_run_that_was_stopped_anywhere_and_resumed_ends_with_the_same_bytes") {
  const sim::study s = test::tiny_study();
  // Stops in the warm-up, at its end, at the gate, between cells, and throughout the training.
  for (const int calls :
       {1, 50, 95, 96, 97, 98, 102, 106, 107, 108, 110, 115, 120, 127, 133, 140}) {
    const scratch_folder scratch;
    INFO("stopped behind call " << calls);
    const run_end first = run_for(calls, s, scratch / "run");
    CHECK(first == run_end::stopped);
    CHECK(sim::run_study({s, scratch / "run", existing_run::resume, 0, nullptr, nullptr}) ==
          run_end::finished);
    const bool same = results_in(scratch / "run") == expected();
    CHECK(same);
  }
}

TEST_CASE("a_run_that_is_stopped_again_and_again_ends_with_the_same_bytes") {
  const sim::study s = test::tiny_study();
  for (const int patience : {3, 17}) {
    const scratch_folder scratch;
    int rounds = 1;
    // Each round waits longer: progress calls for existing pieces count as well.
    while (run_for(rounds * patience, s, scratch / "run") == run_end::stopped) ++rounds;
    INFO(patience << " calls at first, " << rounds << " rounds");
    CHECK(rounds > 2);
    const bool same = results_in(scratch / "run") == expected();
    CHECK(same);
  }
}

TEST_CASE("a_run_may_be_resumed_with_other_threads_and_another_micro_batch") {
  sim::study s = test::tiny_study();
  const scratch_folder scratch;
  s.run = {1, 7};
  REQUIRE(run_for(60, s, scratch / "run") == run_end::stopped);
  s.run = {3, 2};
  REQUIRE(run_for(20, s, scratch / "run") == run_end::stopped);
  s.run = {2, 0};
  REQUIRE(sim::run_study({s, scratch / "run", existing_run::resume, 0, nullptr, nullptr}) ==
          run_end::finished);
  const bool same = results_in(scratch / "run") == expected();
  CHECK(same);
}

/// An arm without moments.
sim::study sgd_study() {
  sim::study s = test::tiny_study();
  s.warm_up.steps = 24;
  s.outliers.factors = {1};
  s.arms.resize(2);
  s.arms[1].optimizer = sim::optimizer_kind::sgd;
  s.arms[1].learning_rate = 0.5F;
  return s;
}

TEST_CASE("an_arm_without_moments_is_resumed_with_the_same_bytes") {
  const results straight = straight_run(sgd_study());
  for (const int calls : {30, 34, 38}) {
    const scratch_folder scratch;
    INFO("stopped behind call " << calls);
    CHECK(run_for(calls, sgd_study(), scratch / "run") == run_end::stopped);
    CHECK(run_for(1000, sgd_study(), scratch / "run") == run_end::finished);
    const bool same = results_in(scratch / "run") == straight;
    CHECK(same);
  }
}

TEST_CASE("a_stop_that_is_asked_for_at_once_leaves_something_to_resume") {
  const sim::study s = test::tiny_study();
  const scratch_folder scratch;
  const std::atomic<int> stop = 15;
  for (const existing_run existing : {existing_run::fresh, existing_run::resume}) {
    CHECK(sim::run_study({s, scratch / "run", existing, 0, &stop, nullptr}) == run_end::stopped);
  }
  CHECK(sim::run_study({s, scratch / "run", existing_run::resume, 0, nullptr, nullptr}) ==
        run_end::finished);
  const bool same = results_in(scratch / "run") == expected();
  CHECK(same);
}

}  // namespace
