// SPDX-License-Identifier: Apache-2.0
// tests/task/problem_file_test.cpp: sim/task/problem_file.h: what a line means, and what is
// refused.
#include "sim/task/problem_file.h"

#include "catch.h"
#include "scratch_folder.h"
#include "sim/study/sha256.h"

namespace {

using sim::token_list;

/// Problems with prompts [1, i], answered by i modulo 8.
std::string problems(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    text += "{\"prompt\": [1, " + std::to_string(i) + "], \"answer\": [" + std::to_string(i % 8) +
            "]}\n";
  }
  return text;
}

class problem_folder {
 public:
  explicit problem_folder(const std::string& text) {
    test::put_contents(scratch_ / "p.jsonl", text);
  }
  [[nodiscard]] sim::problem_list read() const { return sim::read_problems(scratch_ / "p.jsonl"); }
  [[nodiscard]] std::string path() const { return (scratch_ / "p.jsonl").string(); }

 private:
  test::scratch_folder scratch_;
};

/// The message of a refusal, from the file's name without its folder on; empty without one.
template <class Work>
std::string refusal_of(const Work& work) {
  try {
    work();
  } catch (const sim::problem_error& e) {
    const std::string message = e.what();
    return message.substr(message.find("p.jsonl"));
  }
  return "";
}

std::string refusal_of(const std::string& text) {
  return refusal_of([&] { static_cast<void>(problem_folder(text).read()); });
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("a_file_is_a_line_about_all_problems_and_one_for_each") {
  const std::string text =
      "{\"end\": 9, \"answer_mark\": 8, \"text\": [\"0\", \"1\", \"ab\"], \"verify\": "
      "{\"compare\": "
      "\"decimal\", \"remove\": \",\", \"tolerance\": \"0.5\", \"contained\": "
      "\"length_share\"}}\r\n"
      "\n"
      "{\"prompt\": [5, 6, 7], \"answers\": [[1, 0], \"2,000\"], \"response\": [4, 8, 1, 0, 9]}\n"
      "{\"prompt\": [5], \"answer\": [0, 1]}\n"
      "{\"prompt\": [6], \"answer\": \"-7\"}\n";
  // Token 2 has the text "ab".
  CHECK(holds(refusal_of(text + problems(8)), "p.jsonl:8: \"answer\": expected a decimal number"));
  std::string fitting = text;
  for (int i = 0; i < 8; ++i) {
    fitting += "{\"prompt\": [1, " + std::to_string(i) + "], \"answer\": \"1\"}";
    if (i < 7) fitting += "\n";  // the last line need not end
  }
  const problem_folder folder(fitting);
  const sim::problem_list list = folder.read();
  CHECK(list.end == 9);
  CHECK(list.answer_mark == 8);
  CHECK(list.texts == std::vector<std::string>{"0", "1", "ab"});
  CHECK(list.rule == sim::answer_rule{sim::answer_comparison::decimal, ",", sim::decimal_in("0.5"),
                                      sim::contained_score::length_share});
  CHECK(list.sha256 == sim::sha256_of(fitting));
  REQUIRE(list.problems.size() == 11);
  const sim::listed_problem& first = list.problems[0];
  CHECK(first.line == 3);
  CHECK(first.prompt == token_list{5, 6, 7});
  CHECK(first.response == token_list{4, 8, 1, 0, 9});
  CHECK(first.right == std::vector<sim::answer>{{{1, 0}, "10"}, {{}, "2,000"}});
  CHECK(list.problems[1].response == token_list{8, 0, 1, 9});  // mark, answer, end
  CHECK(list.problems[2].response.empty());
}

TEST_CASE("a_line_that_cannot_be_used_is_named") {
  const std::string header = "{\"end\": 9}\n", texts = "{\"end\": 9, \"text\": [\"0\"], ";
  const auto third = [&](const std::string& line) {
    return refusal_of(header + "\n" + line + "\n" + problems(8));
  };
  CHECK(third("{\"prompt\": [1, 2]").starts_with("p.jsonl:3: it is no JSON"));
  CHECK(third("[1, 2]").starts_with("p.jsonl:3: expected an object"));
  CHECK(
      holds(third("{\"promt\": [1], \"answer\": [1]}"), "no key `promt`; did you mean `prompt`?"));
  CHECK(third("{\"answer\": [1]}").starts_with("p.jsonl:3: expected \"prompt\""));
  CHECK(holds(third("{\"prompt\": [], \"answer\": [1]}"), "at least one token id"));
  CHECK(holds(third("{\"prompt\": [70000000000], \"answer\": [1]}"), "token ids from 0 to"));
  CHECK(holds(third("{\"prompt\": [-1], \"answer\": [1]}"), "token ids from 0 to"));
  CHECK(holds(third("{\"prompt\": [1.5], \"answer\": [1]}"), "found 1.5"));
  CHECK(holds(third("{\"prompt\": [30]}"), "expected \"answer\", or \"answers\""));
  CHECK(holds(third("{\"prompt\": [30], \"answer\": [1], \"answers\": [[1]]}"),
              "expected \"answer\""));
  CHECK(holds(third("{\"prompt\": [30], \"answers\": []}"), "at least one answer"));
  CHECK(holds(third("{\"prompt\": [30], \"answer\": \"1\"}"), "verify\" compares tokens"));
  CHECK(holds(third("{\"prompt\": [30], \"answer\": [9]}"), "none that is \"end\""));
  CHECK(
      holds(third("{\"prompt\": [30], \"answer\": [1], \"response\": [1]}"), "as its last token"));
  CHECK(holds(third("{\"prompt\": [30], \"answer\": [1], \"response\": [9, 9]}"),
              "as its last token"));
  CHECK(third("{\"prompt\": [1, 3], \"answer\": [1]}") ==
        "p.jsonl:7: has the prompt of line 3 again; keep one of them, with all \"answers\"");
  const auto first = [&](const std::string& line) { return refusal_of(line + "\n" + problems(8)); };
  CHECK(first("{}").starts_with("p.jsonl:1: expected {\"end\": ID, ...} in the first line"));
  CHECK(holds(first("{\"end\": 9, \"answer_mark\": 9}"), "another token than"));
  CHECK(holds(first(texts + "\"verify\": {\"compare\": \"txet\"}}"), "did you mean `text`?"));
  CHECK(holds(first("{\"end\": 9, \"verify\": {\"compare\": \"text\"}}"),
              "expected \"text\", a list"));
  CHECK(holds(first(texts + "\"verify\": {\"remove\": \",\"}}"), "tokens are equal or not"));
  CHECK(holds(first(texts + "\"verify\": {\"compare\": \"text\", \"tolerance\": \"1\"}}"),
              "needs \"compare\": \"decimal\""));
  CHECK(holds(first(texts + "\"verify\": {\"compare\": \"decimal\", \"tolerance\": \"-1\"}}"),
              "a decimal of at least 0"));
  CHECK(holds(first(texts + "\"verify\": {\"compare\": \"text\", \"other_number\": 0.1}}"),
              "needs \"compare\": \"first_number\""));
  CHECK(holds(first(texts + "\"verify\": {\"compare\": \"first_number\", \"other_number\": 1}}"),
              "a number from 0 to below 1"));
  CHECK(holds(first(texts + "\"verify\": {\"compare\": \"first_number\", \"contained\": "
                            "\"length_share\"}}"),
              "the first number is the answer"));
  CHECK(refusal_of(header + problems(7)) ==
        "p.jsonl: expected a line about all problems and at least 8 problems, found 7");
  CHECK(holds(refusal_of(std::string()), "found 0"));
}

sim::study study_of(const problem_folder& folder) {
  sim::study s;
  s.task.kind = sim::task_kind::listed;
  s.task.source.file = folder.path();
  s.task.max_response_length = 4;
  return s;
}

TEST_CASE("problems_are_loaded_once_and_their_hash_is_the_study_s") {
  const problem_folder folder("{\"end\": 9}\n" + problems(8));
  sim::study s = study_of(folder);
  sim::load_problems(s);
  CHECK(s.task.source.sha256 == folder.read().sha256);
  const auto* before = s.task.source.problems.get();
  sim::load_problems(s);
  CHECK(s.task.source.problems.get() == before);
  sim::study built_in;
  sim::load_problems(built_in);
  CHECK(built_in.task == sim::task_shape{});
}

TEST_CASE("a_line_that_does_not_fit_the_study_is_named") {
  const problem_folder folder("{\"end\": 9}\n" + problems(8));
  const auto refused = [&](const auto& change) {
    sim::study s = study_of(folder);
    change(s);
    return refusal_of([&] { sim::load_problems(s); });
  };
  CHECK(refused([](sim::study&) {}).empty());
  CHECK(holds(refused([](sim::study& s) { s.task.sequence = 5; }),
              "p.jsonl:2: its prompt has 2 tokens, and task.sequence = 5 leaves 1"));
  CHECK(holds(refused([](sim::study& s) { s.task.max_response_length = 1; }),
              "p.jsonl:2: its response has 2 tokens, more than task.max_response_length = 1"));
  CHECK(holds(refused([](sim::study& s) { s.policy.vocabulary = 9; }),
              "p.jsonl: the first line has token 9, and policy.vocabulary ends before 9"));
  CHECK(holds(refused([](sim::study& s) { s.policy.outliers.massive_channels = {1}; }),
              "policy.massive_channels"));
  const std::string other(64, '0'), own = folder.read().sha256;
  const std::string both = refused([&](sim::study& s) { s.task.source.sha256 = other; });
  CHECK((holds(both, other) && holds(both, own)));
  const problem_folder without(
      "{\"end\": 9, \"text\": [\"0\"], \"verify\": {\"compare\": \"text\"}}\n"
      "{\"prompt\": [40], \"answer\": \"0\"}\n" +
      problems(8));
  sim::study s = study_of(without);
  s.policy.vocabulary = 48;
  CHECK(holds(refusal_of([&] { sim::load_problems(s); }), "p.jsonl:2: has no response"));
  s.warm_up.steps = 0;
  CHECK(refusal_of([&] { sim::load_problems(s); }).empty());
}

}  // namespace
