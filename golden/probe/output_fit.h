// SPDX-License-Identifier: Apache-2.0
// golden/probe/output_fit.h: whether a recipe explains the bytes of an output, in all or some
// blocks.
#pragma once
#include <optional>

#include "golden/probe/distinct_blocks.h"

namespace golden::probe {

/// The tensors of an output, to compare with recipes. Safe to share between threads, except
/// is_explained(r).
class output_fit {
 public:
  ///   without  blocks that are left out of every comparison
  output_fit(const validator::hypothesis& plain, std::span<const validator::subject> subjects,
             std::span<const block_sort::place> without = {});

  /// Whether the recipe is possible and makes as many bytes as the output has.
  [[nodiscard]] bool has_sizes(const validator::hypothesis& r) const;

  /// Whether the recipe explains every byte; the bytes of one kind of block, or of a sample of them
  /// if most are distinct.
  ///   r  has the sizes of the output
  [[nodiscard]] bool is_explained(const validator::hypothesis& r);
  [[nodiscard]] bool is_explained(const validator::hypothesis& r, block_sort::kind kind);
  /// The blocks that it does not explain.
  [[nodiscard]] std::vector<block_sort::place> unexplained(const validator::hypothesis& r);
  [[nodiscard]] std::uint64_t blocks() const { return sorted_.count(); }
  /// Whether is_explained(r) refused a recipe because the elements to compare were used up, which
  /// is counted, not timed.
  [[nodiscard]] bool is_exhausted() const { return exhausted_; }

  /// Whether the recipe is decided block by block, in blocks as the plain one cuts them.
  [[nodiscard]] bool is_of_blocks(const validator::hypothesis& r) const {
    return distinct_.cover(r);
  }
  [[nodiscard]] std::uint64_t blocks_of(block_sort::kind kind) const {
    return sorted_.of(kind).size();
  }
  [[nodiscard]] bool lacks(block_sort::kind kind) const { return sorted_.of(kind).empty(); }

  /// A number shared by storages under which a recipe of blocks explains the same; nothing for
  /// other recipes.
  [[nodiscard]] std::optional<std::size_t> reading_of(const validator::hypothesis& r);
  /// The findings of the recipe's storage.
  ///   r  of blocks
  [[nodiscard]] const storage_reading& reading(const validator::hypothesis& r) {
    return distinct_.of(r);
  }
  [[nodiscard]] const distinct_blocks& distinct() const { return distinct_; }
  [[nodiscard]] std::span<const validator::subject> subjects() const { return subjects_; }
  [[nodiscard]] validator::extent_memory& extents() { return extents_; }

 private:
  [[nodiscard]] bool agrees_on_tensor_scales(const validator::hypothesis& r);
  /// Counts elements as compared, unless that would be too many.
  [[nodiscard]] bool affords(std::uint64_t elements);
  [[nodiscard]] bool is_explained_everywhere(const validator::hypothesis& r);

  std::span<const validator::subject> subjects_;
  block_sort sorted_;
  distinct_blocks distinct_;
  validator::extent_memory extents_;
  bool is_part_;
  bool exhausted_ = false;
  std::uint64_t elements_left_;
};

}  // namespace golden::probe
