// SPDX-License-Identifier: Apache-2.0
// sim/policy/gradient_tree.h: the sum of the sequences' gradients by a fixed binary tree over their
// index in the batch. Adjacent pairs are added, an odd one passes up, so the sum does not depend on
// how the sequences are split into micro-batches, nor the parameters into parts.
#pragma once
#include <cstddef>
#include <vector>

namespace sim {

/// The levels of a part of the parameters at a time: of one layer, of some rows of the embedding.
class gradient_tree {
 public:
  /// `leaves` sequences of at most `count` parameters.
  gradient_tree(std::ptrdiff_t count, int leaves);

  /// Starts the tree of the parameters from `offset` on; it holds no leaf.
  void start(std::ptrdiff_t offset) noexcept {
    offset_ = offset;
    added_ = 0;
  }
  [[nodiscard]] int added() const noexcept { return added_; }

  /// The levels' storage at a parameter, for mx::add_leaves.
  ///   sequences  of each sum that is added, a power of two: it enters at the level of such sums
  [[nodiscard]] std::vector<float*> levels_at(std::ptrdiff_t offset, int sequences = 1);
  /// Adds one leaf's gradient of the parameters [offset, offset + count).
  ///   sequences  where it is the sum of a subtree of so many, of which index is the first
  void add_leaf(int index, std::ptrdiff_t offset, std::ptrdiff_t count, const float* leaf,
                int sequences = 1);
  /// Marks the leaves [added, added + count) as complete in all parameters.
  void complete(int count) noexcept { added_ += count; }

  /// The sum of all leaves' parameters [offset, offset + count). Sums that pass up an odd level are
  /// added from the right.
  void total(std::ptrdiff_t offset, std::ptrdiff_t count, float* out) const;

 private:
  std::vector<std::vector<float>> levels_;
  std::ptrdiff_t offset_ = 0;
  int added_ = 0;
};

}  // namespace sim
