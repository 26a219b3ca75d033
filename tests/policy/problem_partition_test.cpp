// SPDX-License-Identifier: Apache-2.0
// tests/policy/problem_partition_test.cpp: sim/task/problem_partition.h, over all problems.
#include "sim/task/problem_partition.h"

#include <array>
#include <cmath>
#include <vector>

#include "catch.h"
#include "sim/task/column_addition.h"
#include "sim/task/random_streams.h"

namespace {

using sim::problem;
using sim::problem_partition;
using sim::problem_space;
using sim::problem_use;
using enum sim::problem_use;
constexpr std::array uses{training, gate, evaluation};

constexpr problem_space digit{10, 10}, two_digits{100, 100}, three_digits{1000, 1000};

TEST_CASE("every_problem_has_exactly_one_use") {
  for (const problem_space& space :
       {digit, two_digits, three_digits, problem_space{7, 49}, problem_space{13, 1}}) {
    for (const std::uint64_t key : {0ULL, 1ULL, 3ULL, 0xFFFFFFFFFFFFFFFFULL}) {
      INFO(space.a << " by " << space.b << " values, key " << key);
      const problem_partition p(space, key);
      std::vector<int> seen(space.a * space.b);
      for (const problem_use use : uses) {
        for (std::uint64_t i = 0; i < p.count(use); ++i) {
          const problem q = p.at(use, i);
          REQUIRE(q.a < space.a);
          REQUIRE(q.b < space.b);
          ++seen[q.a * space.b + q.b];
        }
      }
      std::uint64_t once = 0;
      for (const int n : seen) once += n == 1 ? 1U : 0U;
      CHECK(once == space.a * space.b);
    }
  }
}

TEST_CASE("an_eighth_of_the_problems_each_is_for_the_gate_and_for_evaluation") {
  const problem_partition three(three_digits, 1), one(digit, 1),
      nine({1'000'000'000, 1'000'000'000}, 1);
  CHECK(three.count(training) == 750'000);
  CHECK(three.count(gate) == 125'000);
  CHECK(three.count(evaluation) == 125'000);
  CHECK(one.count(training) == 76);
  CHECK(one.count(evaluation) == 12);
  CHECK(nine.count(training) == 750'000'000'000'000'000);
}

/// Counts of each value of each digit, of the first `count` problems in some order.
template <class ProblemOf>
double largest_deviation(std::uint64_t count, const ProblemOf& problem_of) {
  std::array<std::array<double, 10>, 6> counts{};
  const sim::column_addition task({3, 32});
  for (std::uint64_t i = 0; i < count; ++i) {
    const sim::sequence s = task.prompt(problem_of(i));
    for (std::size_t d = 0; d < 3; ++d) {
      ++counts[d][s.tokens[d]];
      ++counts[d + 3][s.tokens[d + 4]];
    }
  }
  double largest = 0;
  const double n = static_cast<double>(count), deviation = std::sqrt(n * 0.1 * 0.9);
  for (const auto& digit : counts) {
    for (const double c : digit) largest = std::max(largest, std::abs(c - n / 10) / deviation);
  }
  return largest;
}

TEST_CASE("the_digits_of_every_part_are_near_uniform") {
  for (const std::uint64_t key : {1ULL, 2ULL, 3ULL}) {
    const problem_partition p(three_digits, key);
    for (const problem_use use : uses) {
      INFO("key " << key << ", use " << static_cast<int>(use));
      const auto numbered = [&](std::uint64_t i) { return p.at(use, i); };
      const auto drawn = [&](std::uint64_t i) {
        return p.drawn(use, 7, static_cast<std::uint32_t>(i));
      };
      // Of 60 counts each, in standard deviations: above 4.5 once in 2,000 such tests.
      CHECK(largest_deviation(p.count(use), numbered) < 4.5);
      CHECK(largest_deviation(8192, numbered) < 4.5);
      CHECK(largest_deviation(50'000, drawn) < 4.5);
    }
  }
}

TEST_CASE("drawn_problems_belong_to_their_part_and_depend_on_key_stream_and_index") {
  const problem_partition p(two_digits, 5);
  std::array<std::vector<bool>, 3> member;
  for (const problem_use use : uses) {
    auto& m = member[static_cast<std::size_t>(use)];
    m.resize(10'000);
    for (std::uint64_t i = 0; i < p.count(use); ++i)
      m[p.at(use, i).a * 100 + p.at(use, i).b] = true;
  }
  int same_stream = 0, same_key = 0;
  for (std::uint32_t i = 0; i < 3000; ++i) {
    for (const problem_use use : uses) {
      const problem q = p.drawn(use, 9, i);
      REQUIRE(member[static_cast<std::size_t>(use)][q.a * 100 + q.b]);
    }
    CHECK(p.drawn(training, 9, i) == p.drawn(training, 9, i));
    same_stream += p.drawn(training, 9, i) == p.drawn(training, 8, i) ? 1 : 0;
    same_key +=
        p.drawn(training, 9, i) == problem_partition(two_digits, 6).drawn(training, 9, i) ? 1 : 0;
  }
  CHECK(same_stream < 5);
  CHECK(same_key < 5);
}

TEST_CASE("numbers_beyond_a_part_begin_again") {
  const problem_partition p(digit, 3);
  for (std::uint64_t i = 0; i < 12; ++i) CHECK(p.at(gate, i + 12) == p.at(gate, i));
}

TEST_CASE("another_seed_evaluates_other_problems") {
  const problem_partition one(three_digits, 1), two(three_digits, 2);
  int same = 0;
  for (std::uint64_t i = 0; i < 8192; ++i)
    same += one.at(evaluation, i) == two.at(evaluation, i) ? 1 : 0;
  CHECK(same < 3);
}

TEST_CASE("the_prompt_of_a_problem_has_its_digits_with_leading_zeros") {
  const sim::column_addition task({3, 32});
  const sim::sequence s = task.prompt(problem{7, 940});
  CHECK(s.tokens ==
        std::vector<sim::token_id>{0, 0, 7, sim::token::plus, 9, 4, 0, sim::token::equals});
  CHECK(s.prompt == 8);
}

}  // namespace
