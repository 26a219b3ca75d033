// SPDX-License-Identifier: Apache-2.0
// sim/task/modular_sums.cpp: prompts and solutions.
#include "sim/task/modular_sums.h"

#include "mx/number/philox.h"

namespace sim {

modular_sums::modular_sums(const task_shape& shape)
    : verifiable_task(shape),
      terms_(shape.terms),
      modulus_(shape.modulus),
      width_(number_width(shape)) {}

problem_space modular_sums::problems() const noexcept {
  problem_space space{1, 1};
  for (int i = 0; i < terms_; ++i) {
    (i < terms_ / 2 ? space.a : space.b) *= static_cast<std::uint64_t>(modulus_);
  }
  return space;
}

sequence modular_sums::prompt(std::uint64_t key, std::uint32_t stream, std::uint32_t index) const {
  std::vector<int> terms;
  for (int i = 0; i < terms_; ++i) {
    const auto words = mx::philox(key, {{stream, index, 0, static_cast<std::uint32_t>(i / 4)}});
    const auto end = static_cast<std::uint64_t>(modulus_);
    terms.push_back(static_cast<int>(scaled_word(words.word[i % 4], end)));
  }
  return prompt(terms);
}

sequence modular_sums::prompt(const problem& p) const {
  std::vector<int> terms(static_cast<std::size_t>(terms_));
  const auto base = static_cast<std::uint64_t>(modulus_);
  problem rest = p;
  for (int i = terms_; i-- > 0;) {
    std::uint64_t& half = i < terms_ / 2 ? rest.a : rest.b;
    terms[static_cast<std::size_t>(i)] = static_cast<int>(half % base);
    half /= base;
  }
  return prompt(terms);
}

sequence modular_sums::prompt(const std::vector<int>& terms) const {
  sequence s;
  s.prompt = prompt_length();
  for (const int term : terms) {
    append_number(s, term);
    s.tokens.push_back(token::plus);
  }
  s.tokens.back() = token::equals;
  return s;
}

void modular_sums::append_solution(sequence& s) const {
  int sum = number_at(s, 0);
  for (int i = 1; i < terms_; ++i) {
    sum = (sum + number_at(s, i * (width_ + 1))) % modulus_;
    append_number(s, sum);
  }
  s.tokens.push_back(token::answer);
  append_number(s, sum);
  s.tokens.push_back(token::end);
}

void modular_sums::append_number(sequence& s, int number) const {
  s.tokens.resize(s.tokens.size() + static_cast<std::size_t>(width_));
  for (auto digit = s.tokens.rbegin(); digit != s.tokens.rbegin() + width_; ++digit) {
    *digit = static_cast<token_id>(number % 10);
    number /= 10;
  }
}

int modular_sums::number_at(const sequence& s, int position) const {
  int number = 0;
  for (int i = position; i < position + width_; ++i) {
    number = 10 * number + s.tokens[static_cast<std::size_t>(i)];
  }
  return number;
}

}  // namespace sim
