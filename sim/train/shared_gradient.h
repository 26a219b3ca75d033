// SPDX-License-Identifier: Apache-2.0
// sim/train/shared_gradient.h: the gradient of a batch whose sequences the ranks share. A batch has
// at most 16 groups of sequences, each an aligned subtree of the tree of
// sim/policy/gradient_tree.h. A rank takes consecutive groups, in as few subtrees as they make; the
// subtrees' sums enter the tree at their own level, so the bits are those of one process.
#pragma once
#include <cstddef>
#include <vector>

#include "sim/policy/gradient_tree.h"
#include "sim/ranks/rank_group.h"

namespace sim {

inline constexpr int most_groups = 16;

/// Sequences of a group: a power of two. The last group of a batch may have fewer.
///   in_product  sequences of one product of wgrad, a power of two: a group is not smaller
[[nodiscard]] int sequences_of_group(int sequences, int in_product);
[[nodiscard]] int groups_of(int sequences, int in_product);

/// Sequences [first, first + count) of a batch: an aligned subtree of `leaves` leaves, of which
/// those behind the batch's end are missing.
struct subtree {
  int first, count, leaves;
};

class shared_gradient {
 public:
  /// Of a batch of so many sequences.
  ///   in_part  parameters that are exchanged at a time, a multiple of 16: what is in memory beside
  ///            the gradients
  ///   errors   rank_error where there are more ranks than groups
  shared_gradient(const rank_group& ranks, int sequences, int in_product,
                  std::ptrdiff_t in_part = std::ptrdiff_t{1} << 18);

  /// This rank's subtrees, in the order of the batch.
  [[nodiscard]] std::vector<subtree> own() const { return subtrees_of(ranks_.rank()); }
  /// Takes the gradients of all parameters of the next of its own subtrees.
  void add(std::vector<float> sum) { sums_.push_back(std::move(sum)); }
  /// The sum of all ranks' subtrees; once, after the last of its own.
  [[nodiscard]] std::vector<float> total();

 private:
  [[nodiscard]] std::vector<subtree> subtrees_of(int rank) const;
  /// All ranks' sums of the parameters [offset, offset + count), as the leaves of a tree.
  void add_part(std::ptrdiff_t offset, std::ptrdiff_t count, gradient_tree& tree) const;

  const rank_group& ranks_;
  int sequences_, in_group_, groups_;
  std::ptrdiff_t in_part_;
  std::vector<std::vector<float>> sums_;
};

}  // namespace sim
