// SPDX-License-Identifier: Apache-2.0
// sim/assess/text_file.h: texts as token ids, as a file of JSON lines. The first line may be about
// all of them, as in the files of problems (sim/task/problem_file.h), which are read too:
//
//   {"vocabulary": 49152}
//   {"tokens": [504, 2365, 28, ...]}
//   {"prompt": [9, 10, 9, 11], "response": [7, 13]}
//
//   tokens    a text: every token but the first is predicted
//   response  the tokens that are predicted, behind the prompt; absent: the prompt is the text
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "sim/study/model_file.h"
#include "sim/task/problem_file.h"
#include "sim/task/sequence.h"

namespace sim {

struct text_list {
  std::vector<sequence> texts;  ///< the tokens that are predicted are the response
  std::string sha256;           ///< of the file
};

/// Tokens that a checkpoint takes at once.
[[nodiscard]] int longest_sequence(const model_file& model);

/// What a policy takes.
struct text_limits {
  int vocabulary = 0;
  int length = 0;  ///< tokens of the longest text
};

/// Reads a file.
///   errors  problem_error; golden::io::file_error where it cannot be read
[[nodiscard]] text_list read_texts(const std::filesystem::path& file, const text_limits& limits);

/// The first texts that have no more than so many tokens together; at least two.
///   errors  problem_error with fewer
void keep_tokens(text_list& list, long long most, const std::filesystem::path& file);

/// The texts in batches of `size`, the last one shorter where they do not divide.
[[nodiscard]] std::vector<std::vector<sequence>> batches_of(const text_list& list, int size);

/// The task of a study whose sequences are texts: it has their length and nothing else.
[[nodiscard]] task_shape task_of_texts(const text_list& list);

}  // namespace sim
