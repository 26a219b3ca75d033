// SPDX-License-Identifier: Apache-2.0
// sim/task/problem_line.cpp: see problem_line.h.
#include "sim/task/problem_line.h"

#include <fmt/format.h>

#include <algorithm>

#include "mx/spelling.h"
#include "sim/study/shallow_json.h"

namespace sim {

using json = nlohmann::json;

problem_line::problem_line(const std::string& file, int number, std::string_view text)
    : file_(file), number_(number) {
  try {
    object_ = shallow_json<json>(text);
  } catch (const json_error& e) {
    refuse(fmt::format("it {}", e.what()));
  }
  if (!object_.is_object()) refuse("expected an object, such as {\"prompt\": [1, 2], ...}");
}

void problem_line::refuse(const std::string& sentence) const {
  throw problem_error("{}:{}: {}", file_, number_, sentence);
}

void problem_line::fail(std::string_view key, std::string_view expected, const json& found) const {
  refuse(fmt::format("\"{}\": expected {}, found {:.40}", key, expected, found.dump()));
}

void problem_line::expect_keys(const json& object,
                               const std::vector<std::string_view>& keys) const {
  for (const auto& [key, value] : object.items()) {
    if (std::ranges::find(keys, key) != keys.end()) continue;
    refuse(mx::unknown_name("key", key, keys));
  }
}

const json* problem_line::find(std::string_view key) const {
  const auto found = object_.find(key);
  return found == object_.end() ? nullptr : &*found;
}

int problem_line::token(std::string_view key, const json& j) const {
  if (!j.is_number_unsigned() || j.get<std::uint64_t>() >= std::uint64_t{token_end}) {
    fail(key, fmt::format("token ids from 0 to {}", token_end - 1), j);
  }
  return j.get<int>();
}

token_list problem_line::tokens(std::string_view key, const json& j) const {
  if (!j.is_array()) fail(key, "a list of token ids", j);
  if (j.empty()) fail(key, "at least one token id", j);
  token_list result;
  for (const json& element : j) {
    result.push_back(static_cast<token_list::value_type>(token(key, element)));
  }
  return result;
}

const std::string& problem_line::text(std::string_view key, const json& j) const {
  if (!j.is_string()) fail(key, "a text", j);
  return j.get_ref<const std::string&>();
}

std::optional<int> vocabulary_in(const problem_line& line) {
  const json* j = line.find("vocabulary");
  if (j == nullptr) return {};
  if (!j->is_number_unsigned() || *j < 1 || *j > token_end) {
    line.fail("vocabulary", fmt::format("a number of tokens from 1 to {}", token_end), *j);
  }
  return j->get<int>();
}

void expect_vocabulary(const std::string& file, const std::optional<int>& of_tokenizer,
                       int of_policy) {
  if (of_tokenizer.value_or(0) <= of_policy) return;
  throw problem_error(
      "{}: its tokenizer has {} tokens, and the policy {}; make the ids with the policy's own "
      "tokenizer",
      file, *of_tokenizer, of_policy);
}

}  // namespace sim
