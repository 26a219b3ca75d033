// SPDX-License-Identifier: Apache-2.0
// sim/policy/gradient_tree.h: the sum of the sequences' gradients by a fixed binary tree over their
// global index. Adjacent pairs are added, an odd one passes up, so the sum does not depend on how
// the sequences are split into micro-batches.
#pragma once
#include <cstddef>
#include <vector>

namespace sim {

class gradient_tree {
 public:
  /// `leaves` sequences of `count` parameters.
  gradient_tree(std::ptrdiff_t count, int leaves);

  [[nodiscard]] int added() const noexcept { return added_; }

  /// The levels' storage at a parameter, for mx::add_leaves.
  ///   sequences  of each sum that is added, a power of two: it enters at the level of such sums
  [[nodiscard]] std::vector<float*> levels_at(std::ptrdiff_t offset, int sequences = 1);
  /// Adds one leaf's gradient of the parameters [offset, offset + count).
  void add_leaf(int index, std::ptrdiff_t offset, std::ptrdiff_t count, const float* leaf);
  /// Marks the leaves [added, added + count) as complete in all parameters.
  void complete(int count) noexcept { added_ += count; }

  /// The sum of all leaves. Sums that pass up an odd level are added from the right.
  [[nodiscard]] std::vector<float> total() const;

 private:
  std::vector<std::vector<float>> levels_;
  int added_ = 0;
};

}  // namespace sim
