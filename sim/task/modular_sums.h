// SPDX-License-Identifier: Apache-2.0
// sim/task/modular_sums.h: sums of several numbers modulo m, term by term.
// Prompt `a+b+c+d=`, each number below m; response: a+b, a+b+c, a+b+c+d modulo m, then `>`, the
// last of them again, end of sequence. Numbers have as many digits as m - 1, leading zeros
// included.
#pragma once
#include "sim/task/verifiable_task.h"

namespace sim {

class modular_sums final : public verifiable_task {
 public:
  explicit modular_sums(const task_shape& shape);

  /// The first half of the terms is one number in base m, the others are another.
  [[nodiscard]] problem_space problems() const noexcept override;
  [[nodiscard]] sequence prompt(std::uint64_t key, std::uint32_t stream,
                                std::uint32_t index) const override;
  [[nodiscard]] sequence prompt(const problem& p) const override;
  void append_solution(sequence& s) const override;

 private:
  [[nodiscard]] sequence prompt(const std::vector<int>& terms) const;
  void append_number(sequence& s, int number) const;
  [[nodiscard]] int number_at(const sequence& s, int position) const;

  int terms_, modulus_, width_;
};

}  // namespace sim
