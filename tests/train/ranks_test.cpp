// SPDX-License-Identifier: Apache-2.0
// tests/train/ranks_test.cpp: sim/train/run.h with several ranks, as threads of one process: a
// study gives the same bytes for any number of ranks, threads and instruction sets, wherever it is
// interrupted; ranks that cannot run it together are refused.
#include <algorithm>
#include <atomic>

#include "catch.h"
#include "mx/tensor/bulk.h"
#include "ranks_in_threads.h"
#include "scratch_folder.h"
#include "sim/study/study_file.h"
#include "sim/train/run.h"
#include "tiny_study.h"

namespace {

using sim::existing_run;
using sim::run_end;
using test::contents_of;
using test::scratch_folder;

/// Batches that 16 groups do not divide, several updates a batch, groups drawn again, a KL term,
/// and products of wgrad over several sequences.
sim::study shared_study() {
  sim::study s = test::tiny_study();
  s.warm_up.steps = 40;
  s.warm_up.sequences = 13;
  s.grpo.steps = 3;
  s.grpo.prompts = 10;
  s.grpo.minibatches = 2;
  s.grpo.max_redraws = 1;
  s.grpo.kl_coefficient = 0.05F;
  s.grpo.kl_estimator = sim::kl_estimator::exact;
  s.outliers.factors = {1};
  s.measurement.additivity_steps = {2};
  sim::arm masked = s.arms[4], drawn = test::drawn_arm();
  masked.correction = sim::mismatch::sequence_mask;
  drawn.formats.wgrad.sequences = 4;
  s.arms = {s.arms[0], s.arms[3], masked, drawn};
  return s;
}

sim::run_request request_of(const sim::study& s, const std::filesystem::path& folder) {
  sim::run_request request;
  request.study = s;
  request.folder = folder;
  return request;
}

/// Starts a run on every rank.
///   stop_after  exchanges of the last rank, after which it is asked to stop; 0: never
std::vector<std::exception_ptr> run_on(int size, const sim::study& s,
                                       const std::filesystem::path& folder,
                                       existing_run existing = existing_run::fresh,
                                       int stop_after = 0) {
  struct stopping_member final : sim::rank_group {
    stopping_member(const sim::rank_group& whole, std::atomic<int>& asked, int after)
        : of(whole), stop(asked), left(after) {}
    [[nodiscard]] int rank() const noexcept override { return of.rank(); }
    [[nodiscard]] int size() const noexcept override { return of.size(); }
    [[nodiscard]] std::vector<std::string> gather(std::string_view mine) const override {
      if (left > 0 && --left == 0) stop = 2;
      return of.gather(mine);
    }
    const sim::rank_group& of;
    std::atomic<int>& stop;
    mutable int left;
  };
  test::ranks_in_threads group(size);
  return group.run([&](const sim::rank_group& ranks) {
    std::atomic<int> stop = 0;
    const bool is_last = ranks.rank() == ranks.size() - 1;
    const stopping_member member(ranks, stop, is_last ? stop_after : 0);
    sim::run_request request = request_of(s, folder);
    request.existing = existing;
    request.stop = &stop;
    request.ranks = &member;
    const run_end end = sim::run_study(request);
    if (end != (stop_after > 0 ? run_end::stopped : run_end::finished)) {
      throw std::logic_error("the run has another end");
    }
  });
}

bool all_done(const std::vector<std::exception_ptr>& ends) {
  return std::ranges::count(ends, nullptr) == std::ssize(ends);
}

std::string results_in(const std::filesystem::path& folder) {
  return contents_of(folder / "hashes.csv") + contents_of(folder / "metrics.csv") +
         contents_of(folder / "metrics.jsonl") +
         contents_of(folder / "checkpoints" / "frozen-x1-drawn.json");
}

const std::string& expected() {
  static const std::string results = [] {
    const scratch_folder scratch;
    REQUIRE(sim::run_study(request_of(shared_study(), scratch / "run")) == run_end::finished);
    return results_in(scratch / "run");
  }();
  return results;
}

bool gives_the_same(int size, const sim::study& s) {
  const scratch_folder scratch;
  return all_done(run_on(size, s, scratch / "run")) && results_in(scratch / "run") == expected();
}

TEST_CASE("bytes_do_not_depend_on_ranks_and_threads") {
  CHECK(std::ranges::count(expected(), '\n') > 100);
  for (const int size : {1, 2, 3}) {
    for (const int threads : {1, 2, 3}) {
      sim::study s = shared_study();
      s.run.threads = threads;
      INFO(size << " ranks with " << threads << " threads");
      CHECK(gives_the_same(size, s));
    }
  }
  sim::study s = shared_study();
  s.run.micro_batch = 4;
  CHECK(gives_the_same(2, s));
}

TEST_CASE("bytes_of_several_ranks_do_not_depend_on_the_instruction_set") {
  sim::study s = shared_study();
  s.run.threads = 1;
  for (const std::string& set : mx::instruction_sets()) {
    mx::use_instruction_set(set);
    const bool same = gives_the_same(2, s);
    mx::use_instruction_set("");
    INFO(set);
    CHECK(same);
  }
}

TEST_CASE("a_run_that_one_rank_was_asked_to_stop_resumes_with_any_ranks_to_the_same_bytes") {
  // Exchanges of the warm-up, of cells, of training.
  for (const int after : {3, 60, 215, 260, 330}) {
    const scratch_folder scratch;
    INFO("asked after " << after << " exchanges");
    CHECK(all_done(run_on(2, shared_study(), scratch / "run", existing_run::fresh, after)));
    CHECK(all_done(
        run_on(after % 2 == 0 ? 1 : 3, shared_study(), scratch / "run", existing_run::resume)));
    const bool same = results_in(scratch / "run") == expected();
    CHECK(same);
  }
}

TEST_CASE("ranks_go_on_from_the_newest_checkpoint_that_is_left") {
  sim::study s = shared_study();
  s.run.keep_checkpoints = 2;
  const scratch_folder scratch;
  CHECK(all_done(run_on(2, s, scratch / "run")));
  std::filesystem::remove(scratch / "run" / "checkpoints" / (s.arms[1].name + ".safetensors"));
  std::atomic<int> steps = 0;
  test::ranks_in_threads group(2);
  CHECK(all_done(group.run([&](const sim::rank_group& ranks) {
    sim::run_request request = request_of(s, scratch / "run");
    request.existing = existing_run::resume;
    request.ranks = &ranks;
    request.report = [&](const sim::progress& p) {
      steps += p.what == sim::progress::kind::arm_step ? 1 : 0;
    };
    static_cast<void>(sim::run_study(request));
  })));
  CHECK(steps == 0);
  CHECK(std::filesystem::exists(scratch / "run" / "checkpoints" / "finished"));
}

std::string message_of(const std::exception_ptr& end) {
  try {
    if (end != nullptr) std::rethrow_exception(end);
  } catch (const sim::input_error& e) {
    return e.what();
  } catch (...) {
    return "another exception";
  }
  return "none";
}

/// The message that all ranks end with.
std::string common_message(const std::vector<std::exception_ptr>& ends) {
  const std::string first = message_of(ends.front());
  for (const std::exception_ptr& end : ends) {
    if (message_of(end) != first) return first + " / " + message_of(end);
  }
  return first;
}

TEST_CASE("what_fails_on_rank_0_fails_on_all_with_its_message") {
  const scratch_folder scratch;
  test::put_contents(scratch / "file", "no folder");
  CHECK(common_message(run_on(3, shared_study(), scratch / "file")) ==
        (scratch / "file").string() + ": is no folder");
}

TEST_CASE("ranks_with_other_studies_are_refused_with_both_hashes") {
  const scratch_folder scratch;
  sim::study other = shared_study();
  other.grpo.steps = 4;
  test::ranks_in_threads group(2);
  const std::string message = common_message(group.run([&](const sim::rank_group& ranks) {
    sim::run_request request =
        request_of(ranks.rank() == 0 ? shared_study() : other, scratch / "run");
    request.ranks = &ranks;
    static_cast<void>(sim::run_study(request));
  }));
  CHECK(message == "rank 0 has study (hash) " + sim::study_hash(shared_study()) + ", rank 1 has " +
                       sim::study_hash(other) + "; give every rank the same study and overrides");
  CHECK(scratch.file_count() == 0);
}

TEST_CASE("more_ranks_than_groups_are_refused_with_both_numbers") {
  const scratch_folder scratch;
  sim::study s = shared_study();
  s.arms.back().formats.wgrad.sequences = 32;
  s.grpo.prompts = 16;
  CHECK(common_message(run_on(3, s, scratch / "run")) ==
        "3 ranks, but the 64 sequences of a batch of the arm 'drawn' make 2 groups that ranks can "
        "share; start at most 2");
  CHECK(scratch.file_count() == 0);
}

/// An arm that overflows in its second step.
sim::study diverging_study() {
  sim::study s = test::tiny_study();
  s.warm_up.steps = 40;
  s.grpo.steps = 3;
  s.outliers.factors = {1};
  s.arms.resize(2);
  s.arms[1].optimizer = sim::optimizer_kind::sgd;
  s.arms[1].learning_rate = 1e18F;
  return s;
}

TEST_CASE("an_arm_diverges_at_the_same_place_for_any_ranks") {
  std::string straight;
  for (const int size : {1, 2, 3}) {
    const scratch_folder scratch;
    REQUIRE(all_done(run_on(size, diverging_study(), scratch / "run")));
    const std::string found = contents_of(scratch / "run" / "metrics.csv");
    if (size == 1) straight = found;
    INFO(size << " ranks");
    CHECK(found.find(",diverged,") != std::string::npos);
    const bool same = found == straight;
    CHECK(same);
  }
}

}  // namespace
