// SPDX-License-Identifier: Apache-2.0
// tests/task/listed_problems_test.cpp: sim/task/listed_problems.h, and the parts of its problems.
#include "sim/task/listed_problems.h"

#include <set>

#include "catch.h"
#include "sim/task/problem_partition.h"

namespace {

using sim::problem_use;
using sim::token_list;

/// Problems [i, 0, ...] of two lengths, answered by i modulo 7; 9 ends, and 8 marks.
sim::task_shape listed(int count, sim::answer_rule rule = {}) {
  auto list = std::make_shared<sim::problem_list>();
  list->end = 9;
  list->answer_mark = 8;
  list->rule = rule;
  list->texts = {"0", "1", "2", "3", "4", "5", "6"};
  for (int i = 0; i < count; ++i) {
    const auto right = static_cast<token_list::value_type>(i % 7);
    token_list prompt{static_cast<token_list::value_type>(i % 100),
                      static_cast<token_list::value_type>(i / 100)};
    if (i % 2 == 1) prompt.push_back(0);
    list->problems.push_back({i + 2, prompt, {8, right, 9}, {list->answer_of({right})}});
  }
  sim::task_shape shape;
  shape.kind = sim::task_kind::listed;
  shape.source.problems = std::move(list);
  return shape;
}

sim::sequence answered(sim::sequence prompt, const token_list& response) {
  prompt.tokens.insert(prompt.tokens.end(), response.begin(), response.end());
  return prompt;
}

TEST_CASE("a_response_is_scored_between_mark_and_end") {
  const auto task = sim::task_of(listed(20));
  CHECK(task->end() == 9);
  const sim::sequence prompt = task->prompt(sim::problem{0, 3});  // answered by 3
  CHECK(prompt.prompt == 3);
  CHECK(task->solved(answered(prompt, {8, 3, 9})));
  CHECK(task->solved(answered(prompt, {1, 2, 8, 3, 9})));
  CHECK(task->score(answered(prompt, {8, 4, 9})) == 0);
  CHECK(task->score(answered(prompt, {3, 9})) == 0);       // no mark
  CHECK(task->score(answered(prompt, {8, 3})) == 0);       // cut off
  CHECK(task->score(answered(prompt, {8, 9})) == 0);       // no answer
  CHECK(task->score(answered(prompt, {8, 8, 3, 9})) == 0);  // the first mark counts
  sim::sequence solution = prompt;
  task->append_solution(solution);
  CHECK(task->solved(solution));
}

TEST_CASE("a_score_may_be_a_share_which_solves_nothing") {
  const auto task = sim::task_of(
      listed(20, {sim::answer_comparison::decimal, "", {}, sim::contained_score::length_share}));
  const sim::sequence prompt = task->prompt(sim::problem{0, 3});
  CHECK(task->score(answered(prompt, {8, 1, 3, 9})) == 0.5);
  CHECK_FALSE(task->solved(answered(prompt, {8, 1, 3, 9})));
  CHECK(task->solved(answered(prompt, {8, 0, 3, 9})));  // 03
}

TEST_CASE("every_problem_is_in_one_part_whatever_their_number") {
  for (const int count : {8, 9, 15, 16, 17, 99, 100, 101, 1000}) {
    const auto task = sim::task_of(listed(count));
    for (const std::uint64_t key : {1, 2}) {
      const sim::problem_partition parts(task->problems(), key);
      std::set<token_list> all;
      std::uint64_t taken = 0;
      for (const auto use : {problem_use::training, problem_use::gate, problem_use::evaluation}) {
        for (std::uint64_t i = 0; i < parts.count(use); ++i, ++taken) {
          all.insert(task->prompt(parts.at(use, i)).tokens);
        }
      }
      INFO(count << " problems, key " << key);
      CHECK(taken == static_cast<std::uint64_t>(count));
      CHECK(all.size() == taken);
    }
  }
}

TEST_CASE("another_key_has_other_problems_in_a_part_in_no_order_of_the_file") {
  const auto task = sim::task_of(listed(1000));
  std::set<token_list> both;
  int neighbours = 0;
  for (const std::uint64_t key : {1, 2}) {
    const sim::problem_partition parts(task->problems(), key);
    std::uint64_t before = 0;
    for (std::uint64_t i = 0; i < parts.count(problem_use::evaluation); ++i) {
      const sim::problem p = parts.at(problem_use::evaluation, i);
      const std::uint64_t number = p.a * task->problems().b + p.b;
      neighbours += i > 0 && number == before + 1 ? 1 : 0;
      before = number;
      both.insert(task->prompt(p).tokens);
    }
  }
  CHECK(both.size() > 200);  // of 2 * 125, of which 15.6 are expected in both
  CHECK(neighbours < 5);     // 0.25 expected
}

TEST_CASE("without_parts_a_prompt_is_one_of_all_by_its_counter") {
  const auto task = sim::task_of(listed(50));
  std::set<token_list> seen;
  for (std::uint32_t i = 0; i < 1000; ++i) seen.insert(task->prompt(7, 5, i).tokens);
  CHECK(seen.size() == 50);
  CHECK(task->prompt(7, 5, 3) == task->prompt(7, 5, 3));
  CHECK_THROWS_AS(sim::task_of(sim::task_shape{.kind = sim::task_kind::listed}),
                  std::invalid_argument);
}

}  // namespace
