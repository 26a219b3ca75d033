// SPDX-License-Identifier: Apache-2.0
// sim/task/problem_partition.h: every problem a+b serves one use alone: training, the gate that ends
// the warm-up, or evaluation. A keyed permutation of all pairs (a, b) is cut into three ranges, so
// that nothing is drawn twice and rejected.
#pragma once
#include <cstdint>

namespace sim {

enum class problem_use : std::uint8_t { training, gate, evaluation };

/// The operands of a problem.
struct problem {
  std::uint64_t a = 0, b = 0;
  friend bool operator==(const problem&, const problem&) = default;
};

class problem_partition {
 public:
  ///   digits  of each operand, from 1 to 9
  ///   key     the study's seed: another seed has other problems in every part
  problem_partition(int digits, std::uint64_t key);

  /// Number of problems of a use: an eighth of all for the gate and for evaluation, the rest for
  /// training.
  [[nodiscard]] std::uint64_t count(problem_use use) const noexcept;
  /// The problems of a use, numbered in an order that the key decides. Numbers count modulo
  /// `count`: no problem comes back before all have been there.
  [[nodiscard]] problem at(problem_use use, std::uint64_t number) const noexcept;
  /// A problem of a use, uniform among them; depends on key, stream and index alone.
  [[nodiscard]] problem drawn(problem_use use, std::uint32_t stream,
                              std::uint32_t index) const noexcept;

 private:
  [[nodiscard]] std::uint64_t first(problem_use use) const noexcept;
  [[nodiscard]] problem permuted(std::uint64_t index) const noexcept;

  std::uint64_t operands_;  ///< values of one operand: 10^digits
  std::uint64_t key_;
};

}  // namespace sim
