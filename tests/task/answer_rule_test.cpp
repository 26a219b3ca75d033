// SPDX-License-Identifier: Apache-2.0
// tests/task/answer_rule_test.cpp: sim/task/answer_rule.h.
#include "sim/task/answer_rule.h"

#include <limits>

#include "catch.h"
#include "sim/task/first_number.h"

namespace {

using sim::answer;
using sim::answer_comparison;
using sim::answer_rule;

/// An answer whose tokens are the bytes of its text.
answer spelled(const std::string& text) { return {{text.begin(), text.end()}, text}; }

double score(const answer_rule& rule, const std::string& given, const std::string& right) {
  return sim::score_of(rule, spelled(given), {spelled(right)});
}

answer_rule rule_of(answer_comparison compare, const std::string& removed = "",
                    sim::contained_score contained = sim::contained_score::none) {
  return {compare, removed, {}, contained, 0};
}

TEST_CASE("tokens_are_equal_or_not") {
  const answer_rule rule;
  CHECK(score(rule, "12", "12") == 1);
  CHECK(score(rule, "12", "012") == 0);
  CHECK(score(rule, "1", "12") == 0);
  CHECK(sim::score_of(rule, {{1, 2}, "same"}, {{{3}, "same"}}) == 0);
}

TEST_CASE("texts_are_equal_whatever_their_tokens") {
  const answer_rule rule = rule_of(answer_comparison::text);
  CHECK(sim::score_of(rule, {{1, 2}, "cat"}, {{{3}, "cat"}}) == 1);
  CHECK(score(rule, "1", "1.0") == 0);
  CHECK(score(rule_of(answer_comparison::text, " \n"), "a b\n", "ab") == 1);
}

TEST_CASE("decimals_are_equal_by_value") {
  const answer_rule rule = rule_of(answer_comparison::decimal, ",");
  CHECK(score(rule, "+01,000.00", "1000") == 1);
  CHECK(score(rule, "1000", "1,000") == 1);
  CHECK(score(rule, "1001", "1000") == 0);
  CHECK(score(rule, "one thousand", "1000") == 0);
  CHECK(score(rule, "nan", "1000") == 0);
  CHECK(score(rule_of(answer_comparison::decimal), "1,000", "1000") == 0);
}

TEST_CASE("a_tolerance_is_a_distance") {
  answer_rule rule = rule_of(answer_comparison::decimal);
  rule.tolerance = sim::decimal_in("0.01");
  CHECK(score(rule, "3.15", "3.14") == 1);
  CHECK(score(rule, "3.1501", "3.14") == 0);
}

TEST_CASE("an_answer_with_the_right_one_inside_has_its_share_of_the_length") {
  const answer_rule rule =
      rule_of(answer_comparison::decimal, ",", sim::contained_score::length_share);
  CHECK(score(rule, "It is 42", "42") == 2.0 / 8);
  CHECK(score(rule, "1,421", "42") == 2.0 / 4);  // without the comma
  CHECK(score(rule, "24", "42") == 0);
  CHECK(score(rule, "42.0", "42") == 1);
  CHECK(score(rule, "\xC3\xA4 42", "42") == 2.0 / 4);  // characters, not bytes
}

TEST_CASE("the_first_number_of_a_text_is_between_what_is_no_word") {
  const auto number = [](const char* text) { return sim::first_number_in(text); };
  CHECK(number("It is 42, not 43") == 42);
  CHECK(number("1,000") == 1);
  CHECK(number("3.50.") == 3.5);
  CHECK(number("7.") == 7);
  CHECK(number("1.5x") == 1);
  CHECK(number("12abc 4") == 4);
  CHECK(number("x12 _3 1_000 1e5 9") == 9);
  CHECK(number("-5") == 5);  // nothing before the sign that a word could end behind
  CHECK(number("x-5") == -5);
  CHECK(number("\xC3\xA9"
               "5") == 5);
  CHECK(number("0.1") == 0.1);
  CHECK_FALSE(number(""));
  CHECK_FALSE(number("none - .5x"));
  const std::string large(400, '9'), small = "0." + std::string(400, '0') + "1";
  CHECK(sim::first_number_in(large) == std::numeric_limits<double>::infinity());
  CHECK(sim::first_number_in(small) == 0);
}

TEST_CASE("another_first_number_has_a_score_of_its_own") {
  answer_rule rule = rule_of(answer_comparison::first_number);
  rule.other_number = 0.01;
  CHECK(score(rule, "so 42.0 it is", "42") == 1);
  CHECK(score(rule, "41 or 42", "42") == 0.01);
  CHECK(score(rule, "no idea", "42") == 0);
  CHECK(score(rule, "0.10000000000000001", "0.1") == 1);  // as binary64
}

TEST_CASE("any_of_several_answers_is_right_and_an_empty_one_is_not") {
  const answer_rule rule = rule_of(answer_comparison::text);
  CHECK(sim::score_of(rule, spelled("b"), {spelled("a"), spelled("b")}) == 1);
  CHECK(sim::score_of(rule, spelled("c"), {spelled("a"), spelled("b")}) == 0);
  CHECK(sim::score_of(rule, {}, {answer{}}) == 0);
}

}  // namespace
