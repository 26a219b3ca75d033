// SPDX-License-Identifier: Apache-2.0
// golden/probe/output_fit.h: whether a recipe explains the bytes of an output, in all or some
// blocks.
#pragma once
#include "golden/probe/distinct_blocks.h"

namespace golden::probe {

/// The tensors of an output, to compare with recipes. Safe to share between threads.
class output_fit {
 public:
  output_fit(const validator::hypothesis& plain, std::span<const validator::subject> subjects);

  /// Whether the recipe is possible and makes as many bytes as the output has.
  [[nodiscard]] bool has_sizes(const validator::hypothesis& r) const;

  /// Whether the recipe explains every byte; the bytes of one kind of block; the number of blocks
  /// it explains.
  ///   r  has the sizes of the output
  [[nodiscard]] bool is_explained(const validator::hypothesis& r);
  [[nodiscard]] bool is_explained(const validator::hypothesis& r, block_sort::kind kind);
  [[nodiscard]] std::uint64_t blocks_explained(const validator::hypothesis& r);
  [[nodiscard]] std::uint64_t blocks() const { return sorted_.count(); }
  /// Whether the recipe is decided block by block, in blocks as the plain one cuts them.
  [[nodiscard]] bool is_of_blocks(const validator::hypothesis& r) const {
    return distinct_.cover(r);
  }
  [[nodiscard]] bool lacks(block_sort::kind kind) const { return sorted_.of(kind).empty(); }

  /// A number shared by storages under which a recipe of blocks explains the same; nothing for
  /// other recipes.
  [[nodiscard]] std::optional<std::size_t> reading_of(const validator::hypothesis& r);

 private:
  [[nodiscard]] const std::vector<block_sort::place>& places_for(const validator::hypothesis& r,
                                                                 block_sort::kind kind);

  std::span<const validator::subject> subjects_;
  block_sort sorted_;
  distinct_blocks distinct_;
  validator::extent_memory extents_;
};

}  // namespace golden::probe
