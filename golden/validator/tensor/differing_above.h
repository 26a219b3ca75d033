// SPDX-License-Identifier: Apache-2.0
// golden/validator/tensor/differing_above.h: the blocks under a number that differs from the
// prediction.
#pragma once
#include <vector>

#include "prediction.h"

namespace golden::validator {

/// Tensor scales, and macro fractions of both passes.
class differing_above {
 public:
  /// Keeps a reference to the prediction, which is of the first pass.
  explicit differing_above(const prediction& p);

  /// How many numbers differ.
  [[nodiscard]] std::uint64_t numbers() const { return numbers_; }
  /// Whether every block is under one of them.
  [[nodiscard]] bool is_all() const { return all_; }
  [[nodiscard]] bool is_above(std::uint64_t block) const;

 private:
  void add_tensor_scales(const prediction& p);
  void add_fractions(const prediction& p);

  const geometry& g_;
  std::uint64_t macro_block_, fractions_along_;
  bool all_ = false;
  std::uint64_t numbers_ = 0;
  std::vector<char> lines_, macro_blocks_;  ///< 1 where it differs; empty where none does
};

}  // namespace golden::validator
