// SPDX-License-Identifier: Apache-2.0
// golden/probe/output_fit.h: whether a recipe gives the bytes of an output, in all or in some blocks.
#pragma once
#include "golden/probe/distinct_blocks.h"

namespace golden::probe {

/// The tensors of an output, to hold recipes against. Threads may share it.
class output_fit {
 public:
  output_fit(const validator::recipe& plain, std::span<const validator::subject> subjects);

  /// Whether the recipe is possible and the bytes are as many as it makes.
  [[nodiscard]] bool has_sizes(const validator::recipe& r) const;

  /// Whether the recipe gives every byte; the bytes of one kind of blocks; and how many blocks it gives.
  ///   r  has the sizes of the output
  [[nodiscard]] bool is_explained(const validator::recipe& r);
  [[nodiscard]] bool is_explained(const validator::recipe& r, block_sort::kind kind);
  [[nodiscard]] std::uint64_t blocks_explained(const validator::recipe& r);
  [[nodiscard]] std::uint64_t blocks() const { return sorted_.count(); }
  /// Whether the recipe is decided block by block, in blocks as the plain one cuts them.
  [[nodiscard]] bool is_of_blocks(const validator::recipe& r) const { return distinct_.cover(r); }
  [[nodiscard]] bool lacks(block_sort::kind kind) const { return sorted_.of(kind).empty(); }

  /// A number that is the same for storages under which a recipe of blocks explains the same; nothing
  /// for other recipes.
  [[nodiscard]] std::optional<std::size_t> reading_of(const validator::recipe& r);

 private:
  [[nodiscard]] const std::vector<block_sort::place>& places_for(const validator::recipe& r,
                                                                 block_sort::kind kind);

  std::span<const validator::subject> subjects_;
  block_sort sorted_;
  distinct_blocks distinct_;
  validator::extent_memory extents_;
};

}  // namespace golden::probe
