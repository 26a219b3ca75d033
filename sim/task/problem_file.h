// SPDX-License-Identifier: Apache-2.0
// sim/task/problem_file.h: problems of one's own, as a file of JSON lines. The first line is about
// all problems, every other one is a problem:
//
//   {"end": 13, "answer_mark": 12, "text": ["0", "1", ...], "verify": {"compare": "decimal", ...}}
//   {"prompt": [3, 10, 4, 11], "answer": [7], "response": [0, 7, 12, 7, 13]}
//   {"prompt": [9, 10, 9, 11], "answers": ["18", "18.0"]}
//
//   end          token that ends a response; it is no part of the answer
//   vocabulary   tokens of the tokenizer; absent: not known. A policy has as many, or more as
//                padding
//   answer_mark  the answer is behind the first such token of a response; absent: all of it
//   text         of each token, in UTF-8; needed by every comparison but that of tokens
//   alphabet     "byte-level": texts have a character for each byte (byte_level.h); absent: they
//                are texts
//   verify       answer_rule.h: "compare", and "remove", "tolerance", "contained" of texts
//   answer       right: token ids, or a text; "answers": several of them, any of which is right
//   response     a demonstration, for the warm-up; absent: mark, answer and end, where the (first)
//                answer has token ids
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sim/study/input_error.h"
#include "sim/study/study.h"
#include "sim/task/answer_rule.h"

namespace sim {

/// A line that cannot be used. The message names file and line, what was expected and what was
/// found.
struct problem_error : input_error {
  using input_error::input_error;
};

///   line      in its file, from 1
///   response  empty: none
struct listed_problem {
  int line = 0;
  token_list prompt, response;
  std::vector<answer> right;
};

struct problem_list {
  int end = 0;
  std::optional<int> answer_mark, vocabulary;
  std::vector<std::string> texts;
  answer_rule rule;
  std::vector<listed_problem> problems;
  std::string sha256;  ///< of the file

  /// The tokens with their texts, where there are texts.
  [[nodiscard]] answer answer_of(token_list tokens) const;
};

inline constexpr std::size_t fewest_problems = 8;  // one for the gate, one for evaluation

/// Reads a file.
///   errors  problem_error; golden::io::file_error where it cannot be read
[[nodiscard]] problem_list read_problems(const std::filesystem::path& file);

/// Reads the problems of a study with `task.file`, and the hash of that file. Changes no other
/// study, nor one that has them.
///   errors  those of read_problems; problem_error also where a line does not fit the study: its
///           vocabulary, its lengths, its warm-up, its task.sha256
void load_problems(study& s);

}  // namespace sim
