// SPDX-License-Identifier: Apache-2.0
// sim/task/column_addition.cpp: prompts and solutions.
#include "sim/task/column_addition.h"

#include "mx/number/philox.h"

namespace sim {
namespace {

std::uint64_t power_of_ten(int digits) {
  std::uint64_t power = 1;
  for (int i = 0; i < digits; ++i) power *= 10;
  return power;
}

}  // namespace

problem_space column_addition::problems() const noexcept {
  return {power_of_ten(digits_), power_of_ten(digits_)};
}

sequence column_addition::prompt(std::uint64_t key, std::uint32_t stream,
                                 std::uint32_t index) const {
  sequence s;
  s.prompt = prompt_length();
  for (int i = 0; i < 2 * digits_; ++i) {
    const auto group = static_cast<std::uint32_t>(i / 4);
    const auto words = mx::philox(key, {{stream, index, 0, group}});
    s.tokens.push_back(static_cast<token_id>(scaled_word(words.word[i % 4], 10)));
    if (i == digits_ - 1) s.tokens.push_back(token::plus);
  }
  s.tokens.push_back(token::equals);
  return s;
}

sequence column_addition::prompt(const problem& p) const {
  sequence s;
  s.prompt = prompt_length();
  s.tokens.assign(static_cast<std::size_t>(s.prompt), 0);
  s.tokens[static_cast<std::size_t>(digits_)] = token::plus;
  s.tokens.back() = token::equals;
  std::uint64_t a = p.a, b = p.b;
  for (int i = digits_; i-- > 0; a /= 10, b /= 10) {
    s.tokens[static_cast<std::size_t>(i)] = static_cast<token_id>(a % 10);
    s.tokens[static_cast<std::size_t>(i + digits_ + 1)] = static_cast<token_id>(b % 10);
  }
  return s;
}

void column_addition::append_solution(sequence& s) const {
  int carry = 0;
  std::vector<token_id> answer;
  for (int column = digits_ - 1; column >= 0; --column) {
    const auto at = static_cast<std::size_t>(column);
    const int sum = s.tokens[at] + s.tokens[at + static_cast<std::size_t>(digits_) + 1] + carry;
    carry = sum / 10;
    answer.push_back(static_cast<token_id>(sum % 10));
    s.tokens.push_back(static_cast<token_id>(carry));
    s.tokens.push_back(answer.back());
  }
  answer.push_back(static_cast<token_id>(carry));
  s.tokens.push_back(token::answer);
  s.tokens.insert(s.tokens.end(), answer.rbegin(), answer.rend());
  s.tokens.push_back(token::end);
}

}  // namespace sim
