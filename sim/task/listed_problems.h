// SPDX-License-Identifier: Apache-2.0
// sim/task/listed_problems.h: the problems of a file (problem_file.h) as a task.
#pragma once
#include <map>

#include "sim/task/problem_file.h"
#include "sim/task/verifiable_task.h"

namespace sim {

class listed_problems final : public verifiable_task {
 public:
  ///   shape  with its problems loaded
  ///   errors  std::invalid_argument without them
  explicit listed_problems(const task_shape& shape);

  [[nodiscard]] int end() const noexcept override { return list_->end; }
  /// The numbers of problems from 0 as a square of pairs, the last of which may be none.
  [[nodiscard]] problem_space problems() const noexcept override;
  [[nodiscard]] sequence prompt(std::uint64_t key, std::uint32_t stream,
                                std::uint32_t index) const override;
  [[nodiscard]] sequence prompt(const problem& p) const override;
  /// Requires a response of the problem.
  void append_solution(sequence& s) const override;
  /// By the file's rule. A response that is cut off, or has no mark where one is asked for: 0.
  [[nodiscard]] double score(const sequence& s) const override;

 private:
  [[nodiscard]] sequence prompt_of(std::size_t number) const;
  [[nodiscard]] const listed_problem& problem_of(const sequence& s) const;

  std::shared_ptr<const problem_list> list_;
  std::map<token_list, std::size_t> number_;  ///< of a problem, by its prompt
};

}  // namespace sim
