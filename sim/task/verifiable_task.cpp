// SPDX-License-Identifier: Apache-2.0
// sim/task/verifiable_task.cpp: the verifier, and the choice of a task.
#include "sim/task/verifiable_task.h"

#include <algorithm>

#include "sim/task/column_addition.h"
#include "sim/task/listed_problems.h"
#include "sim/task/modular_sums.h"

namespace sim {

std::vector<token_id> verifiable_task::answer_of(const sequence& s) const {
  sequence solution;
  solution.tokens.assign(s.tokens.begin(), s.tokens.begin() + s.prompt);
  solution.prompt = s.prompt;
  append_solution(solution);
  return {std::ranges::find(solution.tokens, token::answer), solution.tokens.end()};
}

double verifiable_task::score(const sequence& s) const {
  const auto mark = std::find(s.tokens.begin() + s.prompt, s.tokens.end(), token::answer);
  return std::ranges::equal(std::vector<token_id>(mark, s.tokens.end()), answer_of(s)) ? 1 : 0;
}

std::unique_ptr<const verifiable_task> task_of(const task_shape& shape) {
  if (is_listed(shape)) return std::make_unique<listed_problems>(shape);
  if (shape.kind == task_kind::modular_sums) return std::make_unique<modular_sums>(shape);
  return std::make_unique<column_addition>(shape);
}

}  // namespace sim
