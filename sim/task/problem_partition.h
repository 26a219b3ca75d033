// SPDX-License-Identifier: Apache-2.0
// sim/task/problem_partition.h: every problem serves one use alone: training, the gate that ends
// the warm-up, or evaluation. A keyed permutation of all pairs (a, b) is cut into three ranges, so
// that nothing is drawn twice and rejected.
#pragma once
#include <cstdint>

namespace sim {

enum class problem_use : std::uint8_t { training, gate, evaluation };

/// The operands of a problem, as its task reads them.
struct problem {
  std::uint64_t a = 0, b = 0;
  friend bool operator==(const problem&, const problem&) = default;
};

/// How many values each operand has: at most 2^32, and at least 8 pairs.
///   count  problems, the first pairs (a, b) in the order of a; 0: all
struct problem_space {
  std::uint64_t a, b, count = 0;
};

class problem_partition {
 public:
  ///   key  the study's seed: another seed has other problems in every part
  problem_partition(const problem_space& space, std::uint64_t key);

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
  [[nodiscard]] std::uint64_t all() const noexcept;
  [[nodiscard]] problem permuted(problem p) const noexcept;
  [[nodiscard]] problem permuted(std::uint64_t index) const noexcept;

  problem_space space_;
  std::uint64_t key_;
};

}  // namespace sim
