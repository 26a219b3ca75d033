// SPDX-License-Identifier: Apache-2.0
// sim/train/shared_gradient.cpp: see shared_gradient.h.
#include "sim/train/shared_gradient.h"

#include <algorithm>
#include <bit>

#include "sim/ranks/packed_values.h"

namespace sim {
namespace {

int quotient_up(int a, int b) { return (a + b - 1) / b; }

/// The least power of two that is not below it.
int padded(int count) { return static_cast<int>(std::bit_ceil(static_cast<unsigned>(count))); }

}  // namespace

int sequences_of_group(int sequences, int in_product) {
  return std::max(padded(quotient_up(sequences, most_groups)), in_product);
}

int groups_of(int sequences, int in_product) {
  return quotient_up(sequences, sequences_of_group(sequences, in_product));
}

shared_gradient::shared_gradient(const rank_group& ranks, int sequences, int in_product,
                                 std::ptrdiff_t in_part)
    : ranks_(ranks),
      sequences_(sequences),
      in_group_(sequences_of_group(sequences, in_product)),
      groups_(groups_of(sequences, in_product)),
      in_part_(in_part) {
  if (ranks.size() > groups_) {
    throw rank_error(
        "{} ranks share {} groups of the {} sequences of a batch ({} in a group); start at most {} "
        "ranks",
        ranks.size(), groups_, sequences, in_group_, groups_);
  }
}

std::vector<subtree> shared_gradient::subtrees_of(int rank) const {
  const piece own = piece_of(ranks_, rank, groups_);
  const int behind = own.first + own.count;
  // The last subtree of the batch may be incomplete.
  const int end = behind == groups_ ? padded(groups_) : behind;
  std::vector<subtree> result;
  for (int group = own.first; group < behind;) {
    const int aligned = group == 0 ? end : group & -group;
    const auto fitting = static_cast<unsigned>(std::min(aligned, end - group));
    const int size = static_cast<int>(std::bit_floor(fitting));
    const int first = group * in_group_, leaves = size * in_group_;
    result.push_back({first, std::min(leaves, sequences_ - first), leaves});
    group += size;
  }
  return result;
}

std::vector<float> shared_gradient::total() {
  if (ranks_.size() == 1) return std::move(sums_.front());
  std::vector<float> result(sums_.front().size());
  const auto count = std::ssize(result);
  gradient_tree tree(std::min(in_part_, count), padded(groups_) * in_group_);
  for (std::ptrdiff_t at = 0; at < count; at += in_part_) {
    const std::ptrdiff_t in_this = std::min(in_part_, count - at);
    add_part(at, in_this, tree);
    tree.total(at, in_this, result.data() + at);
  }
  return result;
}

void shared_gradient::add_part(std::ptrdiff_t offset, std::ptrdiff_t count,
                               gradient_tree& tree) const {
  std::vector<float> mine;
  for (const std::vector<float>& sum : sums_) {
    mine.insert(mine.end(), sum.begin() + offset, sum.begin() + offset + count);
  }
  const std::vector<float> all = gathered(ranks_, std::move(mine));
  tree.start(offset);
  const float* sum = all.data();
  for (int rank = 0; rank < ranks_.size(); ++rank) {
    for (const subtree& s : subtrees_of(rank)) {
      tree.add_leaf(s.first, offset, count, sum, s.leaves);
      tree.complete(s.leaves);
      sum += count;
    }
  }
}

}  // namespace sim
