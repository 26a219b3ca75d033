// SPDX-License-Identifier: Apache-2.0
// tests/train/listed_task_test.cpp: training on the problems of a file: prompts of several lengths,
// a score that is a share, the same bits for any threads and portions.
#include <cmath>
#include <set>

#include "catch.h"
#include "scratch_folder.h"
#include "sim/report/metrics.h"
#include "sim/study/study_file.h"
#include "sim/task/problem_file.h"
#include "sim/train/run.h"
#include "sim/train/trainer.h"
#include "tiny_study.h"

namespace {

using sim::existing_run;
using test::contents_of;
using test::scratch_folder;

/// a + b for one or two summands, "a=" or "a+b=", with + 10, = 11 and the end 20.
std::string sums() {
  std::string text =
      "{\"end\": 20, \"text\": [\"0\", \"1\", \"2\", \"3\", \"4\", \"5\", \"6\", \"7\", \"8\", \"9\"], "
      "\"verify\": {\"compare\": \"decimal\", \"contained\": \"length_share\"}}\n";
  const auto line = [&](const std::string& prompt, int sum) {
    const std::string digits =
        sum < 10 ? std::to_string(sum)
                 : std::to_string(sum / 10) + ", " + std::to_string(sum % 10);
    text += "{\"prompt\": [" + prompt + ", 11], \"answer\": [" + digits + "]}\n";
  };
  for (int a = 0; a < 10; ++a) {
    line(std::to_string(a), a);
    for (int b = 0; b < 10; ++b) line(std::to_string(a) + ", 10, " + std::to_string(b), a + b);
  }
  return text;
}

sim::study listed_study(const scratch_folder& scratch) {
  test::put_contents(scratch / "sums.jsonl", sums());
  sim::study s = test::tiny_study();
  s.task = {};
  s.task.kind = sim::task_kind::listed;
  s.task.source.file = (scratch / "sums.jsonl").string();
  s.task.max_response_length = 4;
  s.outliers.factors = {1};
  s.arms.resize(2);
  sim::load_problems(s);
  return s;
}

std::string hashes_of(const sim::study& s, const std::filesystem::path& folder) {
  REQUIRE(sim::run_study({s, folder, existing_run::fresh, 0, nullptr, nullptr}) ==
          sim::run_end::finished);
  return contents_of(folder / "hashes.csv");
}

TEST_CASE("a_policy_learns_the_problems_of_a_file_with_the_same_bits_for_any_portions") {
  const scratch_folder scratch;
  sim::study s = listed_study(scratch);
  s.run.threads = 1;
  const std::string expected = hashes_of(s, scratch / "one");
  s.run.threads = 3;
  s.run.micro_batch = 5;
  CHECK(hashes_of(s, scratch / "three") == expected);
  const auto rows = sim::read_metrics(scratch / "one/metrics.jsonl").rows();
  double rewards = 0;
  bool shares = false;  // of an answer with the right one inside
  for (const auto& row : rows) {
    if (row.arm != "fp32" || row.phase != "train" || row.metric != "reward") continue;
    rewards += row.value;
    shares |= row.value * 32 != std::floor(row.value * 32);
  }
  CHECK(rewards > 0.4);  // of 4 steps; an answer at random is right once in a hundred times
  CHECK(shares);
}

TEST_CASE("prompts_of_several_lengths_are_sampled_as_each_length_alone") {
  const scratch_folder scratch;
  const sim::setting s(listed_study(scratch));
  const auto weights = sim::initial_weights(s.table, 1);
  const auto prompts = s.prompts(sim::stream::training_prompts, 0, 24);
  const sim::sampling how =
      s.sampled(sim::decoding::sampled, 3, sim::stream::training_samples, 0);
  const auto prepared = sim::prepare_forward(s.table, weights, {});
  const auto together = sim::sample_responses(s.context({}), prepared, prompts, how);
  REQUIRE(together.size() == 72);
  std::set<int> lengths;
  for (int i = 0; i < 24; ++i) {
    sim::sampling alone = how;
    alone.places = {i};
    const auto one = std::span(prompts).subspan(static_cast<std::size_t>(i), 1);
    const auto expected = sim::sample_responses(s.context({}), prepared, one, alone);
    lengths.insert(one.front().length());
    for (std::size_t j = 0; j < 3; ++j) {
      const sim::rollout& r = together[static_cast<std::size_t>(i) * 3 + j];
      CHECK(r.tokens == expected[j].tokens);
      CHECK(r.log_probability == expected[j].log_probability);
    }
  }
  CHECK(lengths == std::set<int>{2, 4});
}

TEST_CASE("a_study_names_the_file_s_contents_and_not_its_place") {
  const scratch_folder scratch, other;
  const sim::study here = listed_study(scratch), there = listed_study(other);
  CHECK(sim::study_hash(here) == sim::study_hash(there));
  test::put_contents(scratch / "study.toml", sim::resolved_toml(here));
  const sim::study again = sim::read_study(scratch / "study.toml");
  CHECK(again.task == here.task);
  CHECK(sim::study_hash(again) == sim::study_hash(here));
  test::put_contents(other / "sums.jsonl", sums() + "{\"prompt\": [19], \"answer\": [1]}\n");
  sim::study changed = there;
  changed.task.source = {there.task.source.file, "", nullptr};
  sim::load_problems(changed);
  CHECK(sim::study_hash(changed) != sim::study_hash(here));
}

}  // namespace
