// SPDX-License-Identifier: Apache-2.0
// tests/oracle/oracle_answers.cpp: scores of answers to the problems of a file, as a program.
//   oracle_answers FILE < RESPONSES
// A response is a line: the number of its problem in the file from 0, then its tokens. Its score is
// a line of the output, in digits that read back to the same binary64.
#include <fmt/format.h>

#include <exception>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>

#include "sim/task/problem_file.h"
#include "sim/task/verifiable_task.h"

namespace {

void print_scores(const std::string& file) {
  const auto list = std::make_shared<const sim::problem_list>(sim::read_problems(file));
  sim::task_shape shape;
  shape.kind = sim::task_kind::listed;
  shape.source.problems = list;
  const auto task = sim::task_of(shape);
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream numbers(line);
    std::size_t problem = 0;
    numbers >> problem;
    const sim::token_list& prompt = list->problems.at(problem).prompt;
    sim::sequence s{prompt, static_cast<int>(prompt.size())};
    for (int token = 0; numbers >> token;) {
      s.tokens.push_back(static_cast<sim::token_list::value_type>(token));
    }
    fmt::print("{}\n", task->score(s));
  }
}

}  // namespace

int main(int count, char** words) {
  if (count != 2) return 2;
  try {
    print_scores(words[1]);
  } catch (const std::exception& e) {
    std::cerr << e.what() << "\n";
    return 1;
  }
}
