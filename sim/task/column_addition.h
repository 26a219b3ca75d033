// SPDX-License-Identifier: Apache-2.0
// sim/task/column_addition.h: chained column addition with an exact verifier.
// Prompt `a+b=`; response: for each column from the right its two-digit sum with carry, then `>`,
// the answer with one digit more than the operands, end of sequence.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "sim/study/study.h"
#include "sim/task/problem_partition.h"

namespace sim {

/// Vocabulary: 0-9 are the digits.
namespace token {
inline constexpr int plus = 10, equals = 11, answer = 12, end = 13, padding = 14;
}  // namespace token

/// Tokens of one prompt and its response.
struct sequence {
  std::vector<std::uint8_t> tokens;
  int prompt = 0;  ///< number of prompt tokens

  [[nodiscard]] int length() const noexcept { return static_cast<int>(tokens.size()); }
  [[nodiscard]] int response() const noexcept { return length() - prompt; }
  friend bool operator==(const sequence&, const sequence&) = default;
};

class column_addition {
 public:
  explicit column_addition(const task_shape& shape) : digits_(shape.digits) {}

  [[nodiscard]] int prompt_length() const noexcept { return 2 * digits_ + 2; }
  /// `digits` column sums, `>`, the answer and the end.
  [[nodiscard]] int response_length() const noexcept { return 3 * digits_ + 3; }

  /// The prompt with this index: operand digits are uniform in 0-9 and depend only on key, stream
  /// and index.
  [[nodiscard]] sequence prompt(std::uint64_t key, std::uint32_t stream, std::uint32_t index) const;
  /// The prompt of a problem.
  [[nodiscard]] sequence prompt(const problem& p) const;

  /// Appends the correct response to a prompt.
  void append_solution(sequence& s) const;

  /// Whether `>`, the answer and the end of sequence are correct; the chain before them is free.
  [[nodiscard]] bool solved(const sequence& s) const;

 private:
  [[nodiscard]] std::vector<std::uint8_t> answer_of(const sequence& s) const;
  int digits_;
};

}  // namespace sim
