// SPDX-License-Identifier: Apache-2.0
// sim/assess/text_file.cpp: see text_file.h.
#include "sim/assess/text_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "golden/io/file.h"
#include "sim/policy/attention_rows.h"
#include "sim/study/sha256.h"
#include "sim/task/problem_line.h"

namespace sim {
namespace {

void append(const token_list& tokens, sequence& s) {
  s.tokens.insert(s.tokens.end(), tokens.begin(), tokens.end());
}

sequence text_in(const problem_line& line) {
  line.expect_keys(line.object(), {"tokens", "prompt", "response", "answer", "answers"});
  const auto *tokens = line.find("tokens"), *prompt = line.find("prompt"),
             *response = line.find("response");
  if ((tokens == nullptr) == (prompt == nullptr)) {
    line.refuse("expected \"tokens\", the token ids of a text, or \"prompt\"");
  }
  if (tokens != nullptr && response != nullptr) {
    line.refuse(
        "has a \"response\", which belongs behind a \"prompt\"; put all ids into \"tokens\"");
  }
  sequence s;
  append(tokens != nullptr ? line.tokens("tokens", *tokens) : line.tokens("prompt", *prompt), s);
  s.prompt = 1;
  if (prompt != nullptr && response != nullptr) {
    s.prompt = s.length();
    append(line.tokens("response", *response), s);
  }
  if (s.response() == 0) line.refuse("has one token; expected at least two, to predict one");
  return s;
}

/// The key "vocabulary" of a first line about all texts. Files of problems have further keys there;
/// any other key is the misspelled one of a text.
std::optional<int> vocabulary_in_head(const problem_line& line) {
  line.expect_keys(line.object(), {"vocabulary", "tokens", "prompt", "end", "answer_mark", "text",
                                   "verify", "alphabet"});
  return vocabulary_in(line);
}

void expect_limits(const problem_line& line, const sequence& s, const text_limits& limits) {
  if (s.length() > limits.length) {
    line.refuse(
        fmt::format("has {} tokens, and the policy takes {} at once; split the text, or "
                    "shorten it",
                    s.length(), limits.length));
  }
  const token_id largest = std::ranges::max(s.tokens);
  if (largest < limits.vocabulary) return;
  line.refuse(
      fmt::format("has token {}, and the policy's vocabulary ends before {}; make the ids "
                  "with the policy's own tokenizer",
                  largest, limits.vocabulary));
}

}  // namespace

int longest_sequence(const model_file& model) { return std::min(model.context, max_span); }

text_list read_texts(const std::filesystem::path& file, const text_limits& limits) {
  const std::string name = file.string();
  const std::string text = golden::io::read_text(name, golden::io::longest_data);
  text_list list;
  bool first = true;
  for_each_line(text, [&](int number, std::string_view content) {
    const problem_line line(name, number, content);
    const bool about_all =
        first && line.find("tokens") == nullptr && line.find("prompt") == nullptr;
    first = false;
    if (about_all) return expect_vocabulary(name, vocabulary_in_head(line), limits.vocabulary);
    list.texts.push_back(text_in(line));
    expect_limits(line, list.texts.back(), limits);
  });
  list.sha256 = sha256_of(text);
  return list;
}

void keep_tokens(text_list& list, long long most, const std::filesystem::path& file) {
  long long tokens = 0;
  std::size_t kept = 0;
  while (kept < list.texts.size() && (tokens += list.texts[kept].length()) <= most) ++kept;
  list.texts.resize(kept);
  if (kept >= 2) return;
  throw problem_error("{}: expected at least two texts{}, found {}", file.string(),
                      most < tokens ? fmt::format(" in {} tokens", most) : "", kept);
}

std::vector<std::vector<sequence>> batches_of(const text_list& list, int size) {
  std::vector<std::vector<sequence>> batches;
  for (std::size_t i = 0; i < list.texts.size(); ++i) {
    if (i % static_cast<std::size_t>(size) == 0) batches.emplace_back();
    batches.back().push_back(list.texts[i]);
  }
  return batches;
}

task_shape task_of_texts(const text_list& list) {
  int longest = 0;
  for (const sequence& text : list.texts) longest = std::max(longest, text.length());
  task_shape task;
  task.sequence = (longest + 31) / 32 * 32;
  return task;
}

}  // namespace sim
