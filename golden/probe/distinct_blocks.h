// SPDX-License-Identifier: Apache-2.0
// golden/probe/distinct_blocks.h: the blocks of an output without those that repeat another: the same
// numbers, and the same bytes found for them.
#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <tuple>

#include "golden/probe/sorted_blocks.h"

namespace golden::probe {

/// What one storage finds for the blocks of an output.
///   blocks   by kind, each standing for as many as say the same
///   same_as  number of the first storage that finds the same; what a recipe of blocks explains under
///            one of them, it explains under the other
struct storage_reading {
  std::array<std::vector<block_sort::place>, 3> blocks;
  std::size_t same_as = 0;

  [[nodiscard]] std::size_t count() const;
};

/// The readings of all storages, each made when it is asked for first. Threads may share it.
class distinct_blocks {
 public:
  ///   sorted  by the plain recipe, which cuts every subject, or nothing is ever covered
  distinct_blocks(const validator::recipe& plain, std::span<const validator::subject> subjects,
                  const block_sort& sorted);

  /// Whether what the recipe makes of a block follows from the numbers of the block and from the
  /// largest of its tensor, so that blocks that repeat another need not be asked about.
  [[nodiscard]] bool cover(const validator::recipe& r) const;
  /// The reading of a recipe's storage.
  ///   r  covered, with the sizes of the output
  [[nodiscard]] const storage_reading& of(const validator::recipe& r);

 private:
  using storage = std::tuple<mx::code_packing, mx::nibble_order, mx::scale_layout,
                             validator::scale_motion, int, validator::motion_end>;
  using numbers = std::vector<std::uint32_t>;  ///< one a block: equal where the blocks are
  /// What a storage says of a block: its numbers, its codes, whose scale it has, and that scale.
  using statement = std::array<std::uint32_t, 4>;

  [[nodiscard]] const numbers& codes_under(const validator::recipe& r);
  [[nodiscard]] std::unique_ptr<storage_reading> read(const validator::recipe& r);
  [[nodiscard]] std::size_t first_that_says(std::vector<statement> statements);

  validator::recipe plain_;
  std::span<const validator::subject> subjects_;
  const block_sort& sorted_;
  bool cut_ = true;
  std::vector<std::uint64_t> first_;  ///< block of each tensor among those of all
  numbers inputs_;
  std::mutex reading_;
  std::map<std::pair<mx::code_packing, mx::nibble_order>, numbers> codes_;
  std::map<storage, std::unique_ptr<storage_reading>> readings_;
  std::map<std::vector<statement>, std::size_t> said_;
};

}  // namespace golden::probe
