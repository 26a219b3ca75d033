// SPDX-License-Identifier: Apache-2.0
// tests/train/evaluation_test.cpp: sim/train/evaluation.h: accuracies under the arm's arithmetic
// and under FP32.
#include "sim/train/evaluation.h"

#include <algorithm>
#include <map>

#include "catch.h"
#include "sim/train/warm_up.h"
#include "tiny_study.h"

namespace {

using sim::decoding;
using sim::setting;

/// A policy that is right at times.
const sim::training_state& policy() {
  static const sim::training_state state = sim::warmed_up_policy(setting(test::tiny_study()));
  return state;
}

const sim::arm& arm(const setting& s, const std::string& name) {
  return *std::ranges::find(s.constants.arms, name, &sim::arm::name);
}

std::vector<sim::slice_answers> answers(const setting& s, int slices) {
  const sim::pass_products fp32;
  return sim::answers_by_slice(s, fp32, policy().weights, sim::decoding::sampled, slices);
}

TEST_CASE("right_answers_are_counted_slice_by_slice") {
  sim::study others = test::tiny_study();
  others.task.splits = sim::problem_splits::none;
  const setting s(others);
  const std::vector<sim::slice_answers> single = answers(s, 32), whole = answers(s, 1),
                                        parts = answers(s, 5);
  REQUIRE(single.size() == 32);
  REQUIRE(whole.size() == 1);
  REQUIRE(parts.size() == 5);
  for (std::size_t i = 0; i < 5; ++i) {
    sim::slice_answers sum;
    for (std::size_t j = i * 7; j < std::min<std::size_t>(32, i * 7 + 7); ++j) {
      sum.right += single[j].right;
      sum.all += single[j].all;
    }
    CHECK(parts[i].right == sum.right);
    CHECK(parts[i].all == sum.all);
  }
  CHECK(parts[4].all == 4);
  CHECK(sim::accuracy(s, {}, policy(), sim::decoding::sampled) == whole[0].right / 32.0);
}

TEST_CASE("answers_to_one_problem_are_in_one_slice") {
  const sim::study few = test::tiny_study();
  const setting s(few);
  const std::size_t problems = s.distinct_evaluation_problems();
  REQUIRE(problems == 100 / 8);  // of one digit and another
  sim::study once = few;
  once.measurement.evaluation_problems = static_cast<int>(problems);
  const std::vector<sim::slice_answers> repeated = answers(s, 4);
  REQUIRE(repeated.size() == 4);
  // 32 answers to 12 problems: the first eight come a third time.
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(repeated[i].all == (i == 3 ? 6 : i == 2 ? 8 : 9));
    CHECK(answers(setting(once), 4)[i].all == 3);
  }
}

TEST_CASE("an_accuracy_draws_the_random_bits_of_evaluation_at_its_step") {
  const setting s(test::tiny_study());
  const sim::arm drawn = test::drawn_arm();
  const sim::training_state later{policy().weights, {}, 3};
  const int right =
      sim::answers_by_slice(
          s, s.at_step(drawn.formats, sim::stream::evaluation_operands, 3).of(sim::pass::rollout),
          later.weights, sim::decoding::sampled, 1)[0]
          .right;
  CHECK(sim::accuracy(s, drawn.formats, later, sim::decoding::sampled) == right / 32.0);
}

/// Rows of an evaluation after so many steps, by arm and metric.
std::map<std::pair<std::string, std::string>, double> evaluated(const setting& s, const sim::arm& a,
                                                                int step) {
  std::map<std::pair<std::string, std::string>, double> result;
  for (const sim::metric_row& row : sim::evaluation_rows(s, a, {policy().weights, {}, step})) {
    CHECK(row.phase == "train");
    CHECK(row.step == step);
    CHECK(result.emplace(std::pair{row.arm, row.metric}, row.value).second);
  }
  return result;
}

double accuracy_at(const setting& s, const sim::arm& a, int step) {
  return sim::accuracy(s, a.formats, {policy().weights, {}, step}, decoding::sampled);
}

TEST_CASE("an_arm_is_evaluated_under_its_arithmetic_and_under_fp32") {
  const setting s(test::tiny_study());
  const sim::arm& fp32 = s.constants.arms.front();
  bool differs = false;
  for (const char* name : {"mxfp4", "inj-s", "mbs+of+aqn", "mxfp4-rollout"}) {
    INFO(name);
    const auto rows = evaluated(s, arm(s, name), 2);
    REQUIRE(rows.size() == 2);
    CHECK(rows.at({name, "accuracy_sampled"}) == accuracy_at(s, arm(s, name), 2));
    CHECK(rows.at({name, "accuracy_sampled_in_fp32"}) == accuracy_at(s, fp32, 2));
    differs |= rows.at({name, "accuracy_sampled"}) != rows.at({name, "accuracy_sampled_in_fp32"});
    CHECK(evaluated(s, arm(s, name), 1).empty());
  }
  CHECK(differs);
}

TEST_CASE("the_reference_is_evaluated_under_the_arithmetic_of_every_arm") {
  sim::study study = test::tiny_study();
  study.arms.push_back(test::drawn_arm());
  study.arms.back().training = sim::arm_training::none;
  const setting s(study);
  const auto rows = evaluated(s, s.constants.arms.front(), 2);
  CHECK(rows.size() == 2 + s.constants.arms.size() - 1);
  CHECK(rows.at({"fp32", "accuracy_sampled"}) == rows.at({"fp32", "accuracy_sampled_in_fp32"}));
  for (const sim::arm& a : s.constants.arms) {
    INFO(a.name);
    const bool trained = a.training == sim::arm_training::grpo;
    REQUIRE(rows.contains({a.name, "accuracy_sampled_of_fp32"}) == trained);
    if (!trained) continue;
    CHECK(rows.at({a.name, "accuracy_sampled_of_fp32"}) == accuracy_at(s, a, 2));
  }
}

TEST_CASE("the_final_evaluation_has_more_problems_of_which_the_others_are_the_first") {
  const setting s(test::tiny_study());
  sim::study longer = test::tiny_study();
  longer.measurement.evaluation_problems = longer.measurement.final_problems;
  const double all = accuracy_at(setting(longer), s.constants.arms.front(), 4);
  for (const char* name : {"fp32", "mxfp4"}) {
    INFO(name);
    const auto rows = evaluated(s, arm(s, name), 4);
    CHECK(rows.at({name, "accuracy_final_in_fp32"}) == all);
    CHECK(rows.at({name, "accuracy_sampled_in_fp32"}) ==
          accuracy_at(s, s.constants.arms.front(), 4));
    CHECK(rows.at({name, "accuracy_sampled"}) == accuracy_at(s, arm(s, name), 4));
    CHECK(rows.contains({name, "accuracy_greedy"}));
  }
  CHECK(all != accuracy_at(s, s.constants.arms.front(), 4));
}

TEST_CASE("greedy_accuracy_is_that_of_the_arm_before_the_first_step_and_after_the_last") {
  const setting s(test::tiny_study());
  const sim::arm& a = arm(s, "mxfp4");
  CHECK(evaluated(s, a, 0).at({"mxfp4", "accuracy_greedy"}) ==
        sim::accuracy(s, a.formats, {policy().weights, {}, 0}, decoding::greedy));
  CHECK_FALSE(evaluated(s, a, 2).contains({"mxfp4", "accuracy_greedy"}));
}

// ---- the problems of each use ------------------------------------------------------------------

sim::study study_of(const sim::task_shape& task) {
  sim::study s = test::tiny_study();
  s.task = task;
  return s;
}

void check_parts(const sim::task_shape& task, std::size_t problems) {
  const setting s(study_of(task));
  std::map<std::vector<sim::token_id>, sim::problem_use> use_of;
  using enum sim::problem_use;
  for (const sim::problem_use use : {training, gate, evaluation}) {
    for (std::uint64_t i = 0; i < s.problems.count(use); ++i) {
      use_of[s.task->prompt(s.problems.at(use, i)).tokens] = use;
    }
  }
  REQUIRE(use_of.size() == problems);
  using sim::stream;
  for (const auto& [prompts, use] : {std::pair{stream::demonstration_prompts, training},
                                     {stream::training_prompts, training},
                                     {stream::frozen_prompts, training},
                                     {stream::gate_prompts, gate},
                                     {stream::evaluation_prompts, evaluation}}) {
    for (const int step : {0, 1, 7}) {
      for (const sim::sequence& q : s.prompts(prompts, step, 700)) REQUIRE(use_of[q.tokens] == use);
    }
  }
}

sim::task_shape sums_of(int terms, int modulus) {
  sim::task_shape task;
  task.kind = sim::task_kind::modular_sums;
  task.terms = terms;
  task.modulus = modulus;
  return task;
}

TEST_CASE("prompts_come_from_the_part_of_their_use") {
  check_parts({2, 32}, 10'000);
  check_parts(sums_of(5, 7), 16'807);
}

TEST_CASE("sums_are_warmed_up_trained_and_evaluated") {
  const setting s(study_of(sums_of(3, 11)));
  for (const sim::sequence& d : sim::demonstrations(s, 3)) {
    CHECK(d.prompt == 9);
    CHECK(d.response() == 8);
  }
  sim::training_state state = sim::warmed_up_policy(s);
  sim::gradient_computer gradient(s);
  const sim::rollout_step step = sim::grpo_step(s, arm(s, "mxfp4"), gradient, state);
  REQUIRE(step.rollouts.size() == 32);
  for (std::size_t i = 0; i < step.rollouts.size(); ++i) {
    const sim::sequence& r = step.rollouts[i].tokens;
    CHECK(r.prompt == 9);
    CHECK((r.response() <= 8 && r.length() > r.prompt));
    CHECK(std::ranges::all_of(r.tokens, [](sim::token_id t) { return t < 32; }));
    CHECK(step.rewards[i] == (s.task->solved(r) ? 1.0F : 0.0F));
  }
  CHECK(evaluated(s, arm(s, "mxfp4"), 0).contains({"mxfp4", "accuracy_sampled"}));
}

TEST_CASE("without_splits_prompts_are_drawn_from_all_problems_by_their_stream") {
  sim::study study = test::tiny_study();
  study.task.splits = sim::problem_splits::none;
  const setting s(study);
  for (const sim::stream use :
       {sim::stream::demonstration_prompts, sim::stream::evaluation_prompts}) {
    const auto prompts = s.prompts(use, 3, 5);
    for (std::uint32_t i = 0; i < 5; ++i) {
      CHECK(prompts[i] == s.task->prompt(study.seed, sim::counter_word(use, 3), i));
    }
  }
}

}  // namespace
