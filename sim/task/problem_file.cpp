// SPDX-License-Identifier: Apache-2.0
// sim/task/problem_file.cpp: reads problems line by line.
#include "sim/task/problem_file.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "golden/io/file.h"
#include "mx/spelling.h"
#include "sim/study/sha256.h"
#include "sim/task/byte_level.h"
#include "sim/task/problem_line.h"

namespace sim {
namespace {

using json = nlohmann::json;

template <class Value>
Value word_in(const problem_line& line, std::string_view key, const json& j,
              const std::map<std::string, Value>& words) {
  std::vector<std::string_view> names;
  for (const auto& [name, value] : words) names.push_back(name);
  const auto found = words.find(line.text(key, j));
  if (found == words.end()) line.refuse(mx::unknown_name(key, line.text(key, j), names));
  return found->second;
}

void read_other_number(const problem_line& line, const json& j, answer_rule& rule) {
  const bool first = rule.compare == answer_comparison::first_number;
  if (first && j.contains("contained")) {
    line.refuse(
        "\"contained\": the first number is the answer; use \"other_number\", the score of "
        "another one");
  }
  if (!j.contains("other_number")) return;
  if (!first) line.refuse("\"other_number\": needs \"compare\": \"first_number\"");
  const json& score = j["other_number"];
  if (!score.is_number() || !(score.get<double>() >= 0) || !(score.get<double>() < 1)) {
    line.fail("other_number", "a number from 0 to below 1", score);
  }
  rule.other_number = score.get<double>();
}

answer_rule rule_in(const problem_line& line, const json& j) {
  if (!j.is_object()) line.fail("verify", "an object, such as {\"compare\": \"tokens\"}", j);
  line.expect_keys(j, {"compare", "remove", "tolerance", "contained", "other_number"});
  answer_rule rule;
  if (j.contains("compare")) {
    rule.compare = word_in<answer_comparison>(line, "compare", j["compare"],
                                              {{"tokens", answer_comparison::tokens},
                                               {"text", answer_comparison::text},
                                               {"decimal", answer_comparison::decimal},
                                               {"first_number", answer_comparison::first_number}});
  }
  if (rule.compare == answer_comparison::tokens && j.size() > (j.contains("compare") ? 1U : 0U)) {
    line.refuse(
        "\"verify\": tokens are equal or not; \"remove\", \"tolerance\", \"contained\" and "
        "\"other_number\" need another comparison, \"compare\": \"text\" for instance");
  }
  if (j.contains("remove")) rule.removed = line.text("remove", j["remove"]);
  for (const char c : rule.removed) {
    if (static_cast<unsigned char>(c) >= 0x80) line.fail("remove", "ASCII characters", j["remove"]);
  }
  if (j.contains("contained")) {
    rule.contained = word_in<contained_score>(
        line, "contained", j["contained"],
        {{"none", contained_score::none}, {"length_share", contained_score::length_share}});
  }
  read_other_number(line, j, rule);
  if (!j.contains("tolerance")) return rule;
  if (rule.compare != answer_comparison::decimal) {
    line.refuse("\"tolerance\": needs \"compare\": \"decimal\"");
  }
  rule.tolerance = decimal_in(line.text("tolerance", j["tolerance"]));
  if (!rule.tolerance || rule.tolerance->negative || !has_few_places(*rule.tolerance)) {
    line.fail("tolerance", "a decimal of at least 0, such as \"0.01\"", j["tolerance"]);
  }
  return rule;
}

std::vector<std::string> texts_in(const problem_line& line, const json& j) {
  if (!j.is_array() || j.size() > std::size_t{token_end}) {
    line.fail("text", fmt::format("a list of at most {} texts", token_end), j);
  }
  std::vector<std::string> texts;
  for (const json& element : j) texts.push_back(line.text("text", element));
  return texts;
}

std::string decoded_token(const problem_line& line, const std::string& token) {
  const std::optional<std::string> bytes = bytes_of_token(token);
  if (!bytes) line.fail("text", "tokens in the alphabet of byte-level BPE", token);
  return *bytes;
}

problem_list header_in(const problem_line& line) {
  line.expect_keys(line.object(),
                   {"end", "answer_mark", "text", "verify", "vocabulary", "alphabet"});
  problem_list list;
  const json* end = line.find("end");
  if (end == nullptr) {
    line.refuse("expected {\"end\": ID, ...} in the first line, the token that ends a response");
  }
  list.end = line.token("end", *end);
  if (const json* mark = line.find("answer_mark")) {
    list.answer_mark = line.token("answer_mark", *mark);
    if (*list.answer_mark == list.end)
      line.fail("answer_mark", "another token than \"end\"", *mark);
  }
  if (const json* text = line.find("text")) list.texts = texts_in(line, *text);
  if (const json* alphabet = line.find("alphabet")) {
    word_in<bool>(line, "alphabet", *alphabet, {{"byte-level", true}});
    for (std::string& text : list.texts) text = decoded_token(line, text);
  }
  list.vocabulary = vocabulary_in(line);
  if (const json* rule = line.find("verify")) list.rule = rule_in(line, *rule);
  if (list.rule.compare != answer_comparison::tokens && list.texts.empty()) {
    line.refuse("\"verify\" compares texts: expected \"text\", a list with that of each token");
  }
  return list;
}

bool compares_numbers(const answer_rule& rule) {
  return rule.compare == answer_comparison::decimal ||
         rule.compare == answer_comparison::first_number;
}

answer right_answer(const problem_list& list, const problem_line& line, const json& j) {
  answer result;
  if (j.is_string() && list.rule.compare != answer_comparison::tokens) {
    result.text = line.text("answer", j);
  } else if (j.is_string()) {
    line.fail("answer", "token ids, since \"verify\" compares tokens", j);
  } else {
    result = list.answer_of(line.tokens("answer", j));
    const auto is_end = [&](int token) { return token == list.end; };
    if (std::ranges::any_of(result.tokens, is_end)) line.fail("answer", "none that is \"end\"", j);
  }
  if (!compares_numbers(list.rule)) return result;
  std::string text = result.text;
  std::erase_if(text, [&](char c) { return list.rule.removed.find(c) != std::string::npos; });
  if (list.rule.compare == answer_comparison::first_number) {
    if (!binary64_in(text)) {
      line.fail("answer", "a number, since \"verify\" compares those", j);
    }
    return result;
  }
  const auto number = decimal_in(text);
  if (!number || !has_few_places(*number)) {
    line.fail("answer", "a decimal number, since \"verify\" compares those", j);
  }
  return result;
}

std::vector<answer> right_answers_in(const problem_list& list, const problem_line& line) {
  const json *one = line.find("answer"), *several = line.find("answers");
  if ((one == nullptr) == (several == nullptr)) {
    line.refuse("expected \"answer\", or \"answers\" with several of which any is right");
  }
  if (one != nullptr) return {right_answer(list, line, *one)};
  if (!several->is_array() || several->empty()) {
    line.fail("answers", "a list of at least one answer", *several);
  }
  std::vector<answer> result;
  for (const json& j : *several) result.push_back(right_answer(list, line, j));
  return result;
}

/// Mark, answer and end; empty where the answer has no token ids.
token_list shortest_response(const problem_list& list, const answer& right) {
  if (right.tokens.empty()) return {};
  token_list result = right.tokens;
  using token = token_list::value_type;
  if (list.answer_mark) result.insert(result.begin(), static_cast<token>(*list.answer_mark));
  result.push_back(static_cast<token>(list.end));
  return result;
}

listed_problem problem_in(const problem_list& list, const problem_line& line) {
  line.expect_keys(line.object(), {"prompt", "answer", "answers", "response"});
  listed_problem p;
  p.line = line.number();
  const json* prompt = line.find("prompt");
  if (prompt == nullptr) line.refuse("expected \"prompt\", a list of token ids");
  p.prompt = line.tokens("prompt", *prompt);
  p.right = right_answers_in(list, line);
  const json* response = line.find("response");
  if (response == nullptr) {
    p.response = shortest_response(list, p.right.front());
    return p;
  }
  p.response = line.tokens("response", *response);
  const auto end = std::ranges::find(p.response, list.end);
  if (end + 1 != p.response.end()) {
    line.fail("response", fmt::format("one \"end\", {}, as its last token", list.end), *response);
  }
  return p;
}

/// No problem may be in two parts: each has one line.
void refuse_repeats(const std::string& file, const problem_list& list) {
  std::map<token_list, int> lines;
  for (const listed_problem& p : list.problems) {
    const auto [first, is_new] = lines.emplace(p.prompt, p.line);
    if (is_new) continue;
    throw problem_error(
        "{}:{}: has the prompt of line {} again; keep one of them, with all \"answers\"", file,
        p.line, first->second);
  }
}

}  // namespace

answer problem_list::answer_of(token_list tokens) const {
  answer result{std::move(tokens), {}};
  for (const auto token : result.tokens) {
    const auto place = static_cast<std::size_t>(token);
    if (place < texts.size()) result.text += texts[place];
  }
  return result;
}

problem_list read_problems(const std::filesystem::path& file) {
  const std::string name = file.string();
  const std::string text = golden::io::read_text(name, golden::io::longest_data);
  std::optional<problem_list> list;
  for_each_line(text, [&](int number, std::string_view line) {
    const problem_line parsed(name, number, line);
    if (!list) {
      list = header_in(parsed);
    } else {
      list->problems.push_back(problem_in(*list, parsed));
    }
  });
  if (!list || list->problems.size() < fewest_problems) {
    throw problem_error("{}: expected a line about all problems and at least {} problems, found {}",
                        name, fewest_problems, list ? list->problems.size() : 0);
  }
  refuse_repeats(name, *list);
  list->sha256 = sha256_of(text);
  return std::move(*list);
}

namespace {

/// Refuses problems that do not fit a study, with their lines.
class fitting {
 public:
  fitting(const study& s, const problem_list& list) : s_(s), list_(list) {}

  void check() const {
    expect_vocabulary(s_.task.source.file, list_.vocabulary, s_.policy.vocabulary);
    check_token("the first line", list_.end);
    if (list_.answer_mark) check_token("the first line", *list_.answer_mark);
    for (const listed_problem& p : list_.problems) check(p);
    if (s_.policy.outliers.massive_channels.empty()) return;
    throw problem_error(
        "{}: policy.massive_channels need the `+` of the built-in tasks; remove them",
        s_.task.source.file);
  }

 private:
  [[noreturn]] void refuse(const listed_problem& p, const std::string& sentence) const {
    throw problem_error("{}:{}: {}", s_.task.source.file, p.line, sentence);
  }

  void check_token(const std::string& place, int token) const {
    if (token < s_.policy.vocabulary) return;
    throw problem_error("{}: {} has token {}, and policy.vocabulary ends before {}",
                        s_.task.source.file, place, token, s_.policy.vocabulary);
  }

  void check(const listed_problem& p) const {
    const int most = s_.task.sequence - s_.task.max_response_length;
    if (std::ssize(p.prompt) > most) {
      refuse(p, fmt::format("its prompt has {} tokens, and task.sequence = {} leaves {} beside "
                            "task.max_response_length = {}",
                            p.prompt.size(), s_.task.sequence, most, s_.task.max_response_length));
    }
    if (std::ssize(p.response) > s_.task.max_response_length) {
      refuse(p, fmt::format("its response has {} tokens, more than task.max_response_length = {}",
                            p.response.size(), s_.task.max_response_length));
    }
    if (p.response.empty() && s_.warm_up.steps > 0) {
      refuse(p,
             fmt::format("has no response, and warm_up.steps = {} learn from those; add "
                         "\"response\", or set warm_up.schedule = \"fixed\" and warm_up.steps = 0",
                         s_.warm_up.steps));
    }
    for (const auto* tokens : {&p.prompt, &p.response}) {
      for (const int token : *tokens) check_token(fmt::format("line {}", p.line), token);
    }
  }

  const study& s_;
  const problem_list& list_;
};

}  // namespace

void load_problems(study& s) {
  problem_source& source = s.task.source;
  if (!is_listed(s.task) || source.problems) return;
  auto list = std::make_shared<const problem_list>(read_problems(source.file));
  if (!source.sha256.empty() && source.sha256 != list->sha256) {
    throw problem_error("{}: has other problems than the study: task.sha256 is {}, and its own {}",
                        source.file, source.sha256, list->sha256);
  }
  fitting(s, *list).check();
  source.sha256 = list->sha256;
  source.problems = std::move(list);
}

}  // namespace sim
