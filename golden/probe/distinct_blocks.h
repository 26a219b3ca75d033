// SPDX-License-Identifier: Apache-2.0
// golden/probe/distinct_blocks.h: the blocks of an output without duplicates, which have the same
// numbers and the same found bytes.
#pragma once
#include <map>
#include <mutex>
#include <optional>
#include <tuple>

#include "golden/probe/sorted_blocks.h"

namespace golden::probe {

/// The bytes that one storage finds for the blocks of an output.
///   blocks   by kind, each with the count of blocks equal to it
///   same_as  number of the first storage with the same findings; a recipe of blocks explains the
///            same under both
struct storage_reading {
  std::array<std::vector<block_sort::place>, 3> blocks;
  std::size_t same_as = 0;

  [[nodiscard]] std::size_t count() const;
};

/// The readings of all storages, computed on first use. Safe to share between threads.
class distinct_blocks {
 public:
  ///   sorted  by the plain recipe; if it does not cut every subject, nothing is covered
  distinct_blocks(const validator::hypothesis& plain, std::span<const validator::subject> subjects,
                  const block_sort& sorted);

  /// Whether the recipe computes a block from the block's numbers and the tensor's amax alone, so
  /// duplicates need no check.
  [[nodiscard]] bool cover(const validator::hypothesis& r) const;
  /// The reading for a recipe's storage.
  ///   r  covered, with the sizes of the output
  [[nodiscard]] const storage_reading& of(const validator::hypothesis& r);

 private:
  using storage = std::tuple<mx::code_packing, mx::nibble_order, mx::scale_layout,
                             validator::scale_motion, int, validator::motion_end>;
  using numbers = std::vector<std::uint32_t>;  ///< one a block: equal for equal blocks
  /// Findings of a storage for a block: its numbers, its codes, the block whose scale it has, the
  /// scale.
  using statement = std::array<std::uint32_t, 4>;

  [[nodiscard]] const numbers& codes_under(const validator::hypothesis& r);
  [[nodiscard]] storage_reading read(const validator::hypothesis& r);
  [[nodiscard]] std::size_t first_that_says(std::vector<statement> statements);

  validator::hypothesis plain_;
  std::span<const validator::subject> subjects_;
  const block_sort& sorted_;
  bool cut_ = true;
  std::vector<std::uint64_t> first_;  ///< index of each tensor's first block
  numbers inputs_;
  std::mutex reading_;
  std::map<std::pair<mx::code_packing, mx::nibble_order>, numbers> codes_;
  std::map<storage, storage_reading> readings_;
  std::map<std::vector<statement>, std::size_t> said_;
};

}  // namespace golden::probe
