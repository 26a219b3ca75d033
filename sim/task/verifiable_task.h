// SPDX-License-Identifier: Apache-2.0
// sim/task/verifiable_task.h: what training needs of a task: prompts, correct responses, a
// verifier. A response of a built-in task is a chain of intermediate results, then `>`, the answer,
// end of sequence.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "sim/study/task_shape.h"
#include "sim/task/problem_partition.h"
#include "sim/task/sequence.h"

namespace sim {

class verifiable_task {
 public:
  virtual ~verifiable_task() = default;

  [[nodiscard]] int prompt_length() const noexcept { return sim::prompt_length(shape_); }
  [[nodiscard]] int response_length() const noexcept { return sim::response_length(shape_); }

  /// The token that ends a response.
  [[nodiscard]] virtual int end() const noexcept { return token::end; }

  /// Which problems there are.
  [[nodiscard]] virtual problem_space problems() const noexcept = 0;

  /// The prompt with this index: its numbers are uniform and depend only on key, stream and index.
  [[nodiscard]] virtual sequence prompt(std::uint64_t key, std::uint32_t stream,
                                        std::uint32_t index) const = 0;
  /// The prompt of a problem.
  [[nodiscard]] virtual sequence prompt(const problem& p) const = 0;

  /// Appends the correct response to a prompt.
  virtual void append_solution(sequence& s) const = 0;

  /// From 0 to 1, which a correct response has. Of a built-in task: 1 where `>`, the answer and the
  /// end of sequence are correct, the chain before them is free; else 0.
  [[nodiscard]] virtual double score(const sequence& s) const;
  [[nodiscard]] bool solved(const sequence& s) const { return score(s) == 1; }

 protected:
  explicit verifiable_task(const task_shape& shape) : shape_(shape) {}
  [[nodiscard]] const task_shape& shape() const noexcept { return shape_; }

 private:
  [[nodiscard]] std::vector<token_id> answer_of(const sequence& s) const;
  task_shape shape_;
};

/// Uniform below `end`, at most 2^32: the top of a 32-bit word times the end.
[[nodiscard]] constexpr std::uint64_t scaled_word(std::uint32_t word, std::uint64_t end) noexcept {
  return (std::uint64_t{word} * end) >> 32;
}

/// The task that a study names.
[[nodiscard]] std::unique_ptr<const verifiable_task> task_of(const task_shape& shape);

}  // namespace sim
