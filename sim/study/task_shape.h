// SPDX-License-Identifier: Apache-2.0
// sim/study/task_shape.h: the task of a study, and the lengths of its prompts and responses.
#pragma once
#include <cstdint>
#include <memory>
#include <string>

namespace sim {

struct problem_list;

///   column_addition  a+b=, the columns' sums from the right, then the answer
///   modular_sums     a+b+...=, the running sums modulo a number, then the answer
///   listed           the problems of a file (sim/task/problem_file.h)
enum class task_kind : std::uint8_t { column_addition, modular_sums, listed };

/// Whether a problem serves one of training, gate and evaluation alone, or may serve all.
enum class problem_splits : std::uint8_t { none, disjoint };

/// Where the problems of a listed task are from.
///   file      empty: the task is built in
///   sha256    of the file; empty: not known yet
///   problems  null: not loaded yet
struct problem_source {
  std::string file, sha256;
  std::shared_ptr<const problem_list> problems;
  friend bool operator==(const problem_source& a, const problem_source& b) {
    return a.file == b.file && a.sha256 == b.sha256;
  }
};

struct task_shape {
  int digits = 3;     ///< of each operand of column addition
  int sequence = 32;  ///< tokens a sequence is padded to; a multiple of the block size
  problem_splits splits = problem_splits::disjoint;
  task_kind kind = task_kind::column_addition;
  int terms = 7, modulus = 7;  ///< of modular sums
  /// Tokens after which a response is cut off; 0: as many as a correct one has.
  int max_response_length = 0;
  problem_source source = {};

  friend bool operator==(const task_shape&, const task_shape&) = default;
};

[[nodiscard]] inline bool is_listed(const task_shape& t) noexcept {
  return t.kind == task_kind::listed;
}

/// Digits of a number of a prompt, leading zeros included.
[[nodiscard]] constexpr int number_width(const task_shape& t) noexcept {
  if (t.kind == task_kind::column_addition) return t.digits;
  int width = 1;
  for (int end = 10; end < t.modulus; end *= 10) ++width;
  return width;
}

/// Every number is followed by `+` or `=`. 0 of a listed task, whose prompts differ in length.
[[nodiscard]] constexpr int prompt_length(const task_shape& t) noexcept {
  if (t.kind == task_kind::listed) return 0;
  const int numbers = t.kind == task_kind::column_addition ? 2 : t.terms;
  return numbers * (number_width(t) + 1);
}

/// The chain, `>`, the answer and the end of sequence. 0 of a listed task.
[[nodiscard]] constexpr int response_length(const task_shape& t) noexcept {
  if (t.kind == task_kind::listed) return 0;
  const int width = number_width(t);
  const bool columns = t.kind == task_kind::column_addition;
  const int chain = columns ? 2 * width : (t.terms - 1) * width;
  const int answer = columns ? width + 1 : width;
  return chain + answer + 2;
}

/// Tokens of the longest possible response.
[[nodiscard]] constexpr int response_limit(const task_shape& t) noexcept {
  return t.max_response_length > 0 ? t.max_response_length : response_length(t);
}

}  // namespace sim
