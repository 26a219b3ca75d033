// SPDX-License-Identifier: Apache-2.0
// tests/policy/modular_sums_test.cpp: sim/task/modular_sums.h against integer sums, over all
// problems of small shapes.
#include "sim/task/modular_sums.h"

#include <array>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "catch.h"

namespace {

using sim::modular_sums;
using sim::problem;
using sim::sequence;

sim::task_shape shape_of(int terms, int modulus) {
  sim::task_shape shape;
  shape.kind = sim::task_kind::modular_sums;
  shape.terms = terms;
  shape.modulus = modulus;
  return shape;
}

std::string text(const std::vector<sim::token_id>& tokens) {
  std::string result;
  for (const sim::token_id t : tokens) result += "0123456789+=>$_"[t];
  return result;
}

std::string written(int number, int modulus) {
  const std::string digits = std::to_string(number);
  return std::string(std::to_string(modulus - 1).size() - digits.size(), '0') + digits;
}

/// Prompt and response of some terms.
std::string expected(const std::vector<int>& terms, int modulus) {
  std::string prompt, response;
  int sum = 0;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    prompt += written(terms[i], modulus) + (i + 1 < terms.size() ? "+" : "=");
    sum += terms[i];
    if (i > 0) response += written(sum % modulus, modulus);
  }
  return prompt + response + ">" + written(sum % modulus, modulus) + "$";
}

/// The terms that a problem stands for: two numbers in base m, whose leading digits come first.
std::vector<int> terms_of(const problem& p, int terms, int modulus) {
  std::vector<int> result;
  const auto add = [&](std::uint64_t number, int count) {
    std::vector<int> digits;
    for (int i = 0; i < count; ++i, number /= static_cast<std::uint64_t>(modulus)) {
      digits.push_back(static_cast<int>(number % static_cast<std::uint64_t>(modulus)));
    }
    result.insert(result.end(), digits.rbegin(), digits.rend());
  };
  add(p.a, terms / 2);
  add(p.b, terms - terms / 2);
  return result;
}

/// Every digit of the answer, replaced by every other digit.
void check_changed_answers(const modular_sums& task, const sequence& right, int width) {
  for (int t = right.length() - 1 - width; t < right.length() - 1; ++t) {
    sequence changed = right;
    sim::token_id& digit = changed.tokens[static_cast<std::size_t>(t)];
    const sim::token_id original = digit;
    for (digit = 0; digit < 10; ++digit) REQUIRE(task.solved(changed) == (digit == original));
  }
}

void check_cut_responses(const modular_sums& task, const sequence& right) {
  for (sequence cut = right; cut.length() > cut.prompt;) {
    cut.tokens.pop_back();
    REQUIRE_FALSE(task.solved(cut));
  }
}

TEST_CASE("every_demonstration_is_right_and_no_other_answer_is") {
  using shapes = std::vector<std::array<int, 2>>;
  for (const auto& [terms, modulus] : shapes{{3, 2}, {4, 7}, {5, 7}, {3, 10}, {3, 11}}) {
    INFO(terms << " terms modulo " << modulus);
    const modular_sums task(shape_of(terms, modulus));
    const sim::problem_space all = task.problems();
    const int width = modulus > 10 ? 2 : 1;
    std::set<std::string> prompts;
    for (problem p; p.a < all.a; ++p.a) {
      for (p.b = 0; p.b < all.b; ++p.b) {
        sequence s = task.prompt(p);
        REQUIRE(s.prompt == task.prompt_length());
        REQUIRE(s.length() == s.prompt);
        prompts.insert(text(s.tokens));
        task.append_solution(s);
        REQUIRE(s.response() == task.response_length());
        REQUIRE(text(s.tokens) == expected(terms_of(p, terms, modulus), modulus));
        REQUIRE(task.solved(s));
        check_changed_answers(task, s, width);
        check_cut_responses(task, s);
      }
    }
    std::size_t count = 1;
    for (int i = 0; i < terms; ++i) count *= static_cast<std::size_t>(modulus);
    CHECK(prompts.size() == count);
  }
}

TEST_CASE("the_chain_is_free_and_nothing_may_follow_the_end") {
  const modular_sums task(shape_of(4, 10));
  sequence right = task.prompt(problem{78, 56});
  task.append_solution(right);
  REQUIRE(text(right.tokens) == "7+8+5+6=506>6$");
  for (int t = right.prompt; t < right.prompt + 3; ++t) {
    sequence changed = right;
    changed.tokens[static_cast<std::size_t>(t)] = 1;
    CHECK(task.solved(changed));
    changed.tokens[static_cast<std::size_t>(t)] = sim::token::answer;
    CHECK_FALSE(task.solved(changed));
  }
  sequence prolonged = right;
  prolonged.tokens.push_back(sim::token::end);
  CHECK_FALSE(task.solved(prolonged));
}

TEST_CASE("the_shape_gives_the_lengths_of_the_longest_study_as_of_the_shortest") {
  CHECK(sim::prompt_length(shape_of(8, 100)) == 24);
  CHECK(sim::response_length(shape_of(8, 100)) == 18);
  CHECK(sim::prompt_length(shape_of(3, 2)) == 6);
  CHECK(sim::response_length(shape_of(3, 2)) == 5);
  CHECK(sim::number_width(shape_of(3, 10)) == 1);
  CHECK(sim::number_width(shape_of(3, 11)) == 2);
}

TEST_CASE("drawn_prompts_have_uniform_terms_and_depend_on_key_stream_and_index") {
  const modular_sums task(shape_of(5, 7));
  int counts[5][7] = {};
  for (std::uint32_t index = 0; index < 7000; ++index) {
    const sequence s = task.prompt(3, 1, index);
    REQUIRE(s.length() == 10);
    for (std::size_t i = 0; i < 5; ++i) {
      REQUIRE(s.tokens[2 * i] < 7);
      REQUIRE(s.tokens[2 * i + 1] == (i < 4 ? sim::token::plus : sim::token::equals));
      ++counts[i][s.tokens[2 * i]];
    }
  }
  // 1,000 are expected in each; the standard deviation is 29.
  for (const auto& place : counts) {
    for (const int count : place) CHECK(std::abs(count - 1000) < 145);
  }
  CHECK(task.prompt(3, 1, 5) == task.prompt(3, 1, 5));
  CHECK(task.prompt(3, 1, 5) != task.prompt(3, 1, 6));
  CHECK(task.prompt(3, 1, 5) != task.prompt(3, 2, 5));
  CHECK(task.prompt(3, 1, 5) != task.prompt(4, 1, 5));
}

}  // namespace
