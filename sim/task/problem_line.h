// SPDX-License-Identifier: Apache-2.0
// sim/task/problem_line.h: a line of a file of JSON lines with token ids, and errors that name it.
#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/task/problem_file.h"

namespace sim {

/// One line of a file, as a JSON object. All errors are problem_error.
class problem_line {
 public:
  using json = nlohmann::json;

  problem_line(const std::string& file, int number, std::string_view text);

  [[noreturn]] void refuse(const std::string& sentence) const;
  [[noreturn]] void fail(std::string_view key, std::string_view expected, const json& found) const;
  void expect_keys(const json& object, const std::vector<std::string_view>& keys) const;

  /// Null where the key is absent.
  [[nodiscard]] const json* find(std::string_view key) const;
  [[nodiscard]] int token(std::string_view key, const json& j) const;
  [[nodiscard]] token_list tokens(std::string_view key, const json& j) const;
  [[nodiscard]] const std::string& text(std::string_view key, const json& j) const;

  [[nodiscard]] const json& object() const { return object_; }
  [[nodiscard]] int number() const { return number_; }

 private:
  const std::string& file_;
  int number_;
  json object_;
};

/// The largest vocabulary of a policy (study_keys.h).
inline constexpr token_id token_end = 262144;

/// The key "vocabulary": tokens of the tokenizer; no value where it is absent.
[[nodiscard]] std::optional<int> vocabulary_in(const problem_line& line);

/// Refuses the ids of a tokenizer that has more tokens than a policy.
void expect_vocabulary(const std::string& file, const std::optional<int>& of_tokenizer,
                       int of_policy);

/// Calls work(number, text) for every line that is not blank.
template <class Work>
void for_each_line(std::string_view text, const Work& work) {
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t length = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, length);
    if (line.find_first_not_of(" \t\r") != std::string_view::npos) work(number, line);
    text.remove_prefix(std::min(length + 1, text.size()));
  }
}

}  // namespace sim
