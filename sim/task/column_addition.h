// SPDX-License-Identifier: Apache-2.0
// sim/task/column_addition.h: chained column addition.
// Prompt `a+b=`; response: for each column from the right its two-digit sum with carry, then `>`,
// the answer with one digit more than the operands, end of sequence.
#pragma once
#include "sim/task/verifiable_task.h"

namespace sim {

class column_addition final : public verifiable_task {
 public:
  explicit column_addition(const task_shape& shape)
      : verifiable_task(shape), digits_(shape.digits) {}

  /// Operands from 0 to 10^digits - 1.
  [[nodiscard]] problem_space problems() const noexcept override;
  [[nodiscard]] sequence prompt(std::uint64_t key, std::uint32_t stream,
                                std::uint32_t index) const override;
  [[nodiscard]] sequence prompt(const problem& p) const override;
  void append_solution(sequence& s) const override;

 private:
  int digits_;
};

}  // namespace sim
