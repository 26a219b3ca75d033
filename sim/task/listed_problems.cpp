// SPDX-License-Identifier: Apache-2.0
// sim/task/listed_problems.cpp: see listed_problems.h.
#include "sim/task/listed_problems.h"

#include <algorithm>
#include <stdexcept>

#include "mx/number/philox.h"

namespace sim {

listed_problems::listed_problems(const task_shape& shape)
    : verifiable_task(shape), list_(shape.source.problems) {
  if (list_ == nullptr) throw std::invalid_argument("the problems of task.file are not loaded");
  for (std::size_t i = 0; i < list_->problems.size(); ++i) {
    number_.emplace(list_->problems[i].prompt, i);
  }
}

problem_space listed_problems::problems() const noexcept {
  const auto count = static_cast<std::uint64_t>(list_->problems.size());
  std::uint64_t side = 1;
  while (side * side < count) ++side;
  return {side, side, count};
}

sequence listed_problems::prompt_of(std::size_t number) const {
  const token_list& tokens = list_->problems[number].prompt;
  return {tokens, static_cast<int>(tokens.size())};
}

sequence listed_problems::prompt(std::uint64_t key, std::uint32_t stream,
                                 std::uint32_t index) const {
  const auto words = mx::philox(key, {{stream, index, 0, 0}});
  return prompt_of(static_cast<std::size_t>(scaled_word(words.word[0], list_->problems.size())));
}

sequence listed_problems::prompt(const problem& p) const {
  return prompt_of(static_cast<std::size_t>(p.a * problems().b + p.b));
}

const listed_problem& listed_problems::problem_of(const sequence& s) const {
  return list_->problems[number_.at({s.tokens.begin(), s.tokens.begin() + s.prompt})];
}

void listed_problems::append_solution(sequence& s) const {
  const token_list& response = problem_of(s).response;
  s.tokens.insert(s.tokens.end(), response.begin(), response.end());
}

double listed_problems::score(const sequence& s) const {
  auto first = s.tokens.begin() + s.prompt;
  const auto end = std::find(first, s.tokens.end(), list_->end);
  if (end == s.tokens.end()) return 0;
  if (list_->answer_mark) {
    first = std::find(first, end, *list_->answer_mark);
    if (first == end) return 0;
    ++first;
  }
  return score_of(list_->rule, list_->answer_of({first, end}), problem_of(s).right);
}

}  // namespace sim
