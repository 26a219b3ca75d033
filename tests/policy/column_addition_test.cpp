// SPDX-License-Identifier: Apache-2.0
// tests/policy/column_addition_test.cpp: sim/task/column_addition.h against integer addition.
#include "sim/task/column_addition.h"

#include <random>
#include <set>
#include <string>

#include "catch.h"
#include "sim/task/random_streams.h"

namespace {

using sim::column_addition;
using sim::sequence;

/// Text of tokens, as the task's description writes them.
std::string text(const std::vector<sim::token_id>& tokens, std::size_t first = 0) {
  std::string result;
  for (std::size_t i = first; i < tokens.size(); ++i) result += "0123456789+=>$_"[tokens[i]];
  return result;
}

std::string digits_of(int value, int digits) {
  std::string result = std::to_string(value);
  return std::string(static_cast<std::size_t>(digits) - result.size(), '0') + result;
}

sequence prompt_of(int a, int b, int digits) {
  sequence s;
  for (const char c : digits_of(a, digits) + "+" + digits_of(b, digits) + "=") {
    const std::string marks = "0123456789+=";
    s.tokens.push_back(static_cast<sim::token_id>(marks.find(c)));
  }
  s.prompt = s.length();
  return s;
}

/// The correct response by integer arithmetic.
std::string response_of(int a, int b, int digits) {
  std::string result;
  int power = 1;
  for (int i = 0; i < digits; ++i, power *= 10) {
    const int carry = a % power + b % power >= power && i > 0 ? 1 : 0;
    result += digits_of(a / power % 10 + b / power % 10 + carry, 2);
  }
  return result + ">" + digits_of(a + b, digits + 1) + "$";
}

void check_solution(int a, int b, int digits) {
  const column_addition task({digits, 32});
  sequence s = prompt_of(a, b, digits);
  REQUIRE(s.length() == task.prompt_length());
  task.append_solution(s);
  REQUIRE(text(s.tokens, static_cast<std::size_t>(s.prompt)) == response_of(a, b, digits));
  REQUIRE(s.response() == task.response_length());
  REQUIRE(task.solved(s));
}

TEST_CASE("the_solution_is_the_sum_column_by_column") {
  for (int a = 0; a < 10; ++a) {
    for (int b = 0; b < 10; ++b) check_solution(a, b, 1);
  }
  for (int a = 0; a < 100; a += 3) {
    for (int b = 0; b < 100; ++b) check_solution(a, b, 2);
  }
  std::mt19937 random(1);
  for (int i = 0; i < 3000; ++i) {
    check_solution(static_cast<int>(random() % 1000), static_cast<int>(random() % 1000), 3);
  }
  check_solution(999, 999, 3);
  check_solution(0, 0, 3);
  check_solution(999, 1, 3);
}

TEST_CASE("no_change_of_a_single_token_behind_the_mark_is_accepted") {
  const column_addition task({3, 32});
  sequence right = prompt_of(478, 945, 3);
  task.append_solution(right);
  for (int t = right.prompt; t < right.length(); ++t) {
    const bool chain = t < right.prompt + 6;
    for (int token = 0; token < 32; ++token) {
      sequence changed = right;
      sim::token_id& at = changed.tokens[static_cast<std::size_t>(t)];
      const bool same = at == token;
      at = static_cast<sim::token_id>(token);
      const bool early_mark = chain && token == sim::token::answer;
      CHECK(task.solved(changed) == (same || (chain && !early_mark)));
    }
  }
}

TEST_CASE("the_chain_is_free_in_length_too") {
  const column_addition task({1, 32});
  for (const std::string chain : {"", "5", "0000000", "14", "+=_$"}) {
    sequence s = prompt_of(9, 5, 1);
    for (const char c : chain + ">14$") {
      s.tokens.push_back(static_cast<sim::token_id>(std::string("0123456789+=>$_").find(c)));
    }
    CHECK(task.solved(s));
  }
}

TEST_CASE("cut_or_prolonged_responses_are_wrong") {
  const column_addition task({2, 32});
  sequence right = prompt_of(58, 67, 2);
  task.append_solution(right);
  for (int length = right.prompt; length < right.length(); ++length) {
    sequence cut = right;
    cut.tokens.resize(static_cast<std::size_t>(length));
    CHECK_FALSE(task.solved(cut));
  }
  for (const int token : {0, sim::token::answer, sim::token::end, sim::token::padding}) {
    sequence prolonged = right;
    prolonged.tokens.push_back(static_cast<sim::token_id>(token));
    CHECK_FALSE(task.solved(prolonged));
  }
}

TEST_CASE("an_answer_in_the_prompt_does_not_count") {
  const column_addition task({1, 32});
  sequence s = prompt_of(3, 4, 1);
  s.tokens.push_back(sim::token::end);
  CHECK_FALSE(task.solved(s));
}

TEST_CASE("prompts_are_well_formed_and_depend_on_key_stream_and_index") {
  const column_addition task({3, 32});
  std::set<std::string> different;
  for (std::uint32_t index = 0; index < 200; ++index) {
    const sequence s = task.prompt(1, 7, index);
    REQUIRE(s.length() == 8);
    REQUIRE(s.prompt == 8);
    REQUIRE(s == task.prompt(1, 7, index));
    for (std::size_t i = 0; i < 8; ++i) {
      if (i == 3) {
        REQUIRE(s.tokens[i] == sim::token::plus);
      } else if (i == 7) {
        REQUIRE(s.tokens[i] == sim::token::equals);
      } else {
        REQUIRE(s.tokens[i] < 10);
      }
    }
    different.insert(text(s.tokens));
  }
  CHECK(different.size() > 198);
  CHECK(task.prompt(2, 7, 0) != task.prompt(1, 7, 0));
  CHECK(task.prompt(1, 8, 0) != task.prompt(1, 7, 0));
}

TEST_CASE("three_digits_are_a_prompt_of_8_tokens_and_a_response_of_12") {
  const column_addition task({3, 32});
  CHECK(task.prompt_length() == 8);
  CHECK(task.response_length() == 12);
}

TEST_CASE("operand_digits_are_uniform") {
  const column_addition task({2, 32});
  int counts[4][10] = {};
  for (std::uint32_t index = 0; index < 4000; ++index) {
    const sequence s = task.prompt(3, 1, index);
    for (const int i : {0, 1, 3, 4}) {
      ++counts[i < 2 ? i : i - 1][s.tokens[static_cast<std::size_t>(i)]];
    }
  }
  // 400 are expected in each; the standard deviation is 19.
  for (const auto& place : counts) {
    for (const int count : place) CHECK(std::abs(count - 400) < 95);
  }
}

TEST_CASE("no_two_streams_and_steps_share_a_counter_word") {
  std::set<std::uint32_t> words;
  for (int stream = 1; stream <= 10; ++stream) {
    for (const int step : {0, 1, 500, 0x800000, 0xFFFFFF}) {
      words.insert(sim::counter_word(static_cast<sim::stream>(stream), step));
    }
  }
  CHECK(words.size() == 50);
}

}  // namespace
