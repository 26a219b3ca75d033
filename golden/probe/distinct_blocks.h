// SPDX-License-Identifier: Apache-2.0
// golden/probe/distinct_blocks.h: the blocks of an output without duplicates, which have the same
// numbers and the same found bytes.
#pragma once
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <unordered_map>

#include "golden/probe/sorted_blocks.h"

namespace golden::probe {

/// What a storage finds for a block, in numbers that are equal where the contents are.
///   input   the block's numbers      source  those of the block whose scale it has, or no_source
///   codes, scale  as found
struct block_statement {
  static constexpr std::uint32_t no_source = ~std::uint32_t{0};

  std::uint32_t input = 0, codes = 0, source = 0, scale = 0;

  friend constexpr auto operator<=>(const block_statement&, const block_statement&) = default;
};

/// A statement and the number of blocks it is found for.
struct counted_statement {
  block_statement says;
  block_sort::place at;
};

/// The bytes that one storage finds for the blocks of an output.
///   blocks    by kind, each with the count of blocks equal to it; at most most_kept, evenly spread
///   distinct  their number before that limit
///   ranked    statements to compare recipes by, on few distinct inputs
///   same_as   number of the first storage with the same findings; a recipe of blocks explains the
///             same under both
struct storage_reading {
  static constexpr std::size_t most_kept = 4096, most_ranked = 256;

  std::array<std::vector<counted_statement>, 3> blocks;
  std::array<std::vector<counted_statement>, 3> ranked;
  std::size_t distinct = 0;
  std::size_t same_as = 0;

  [[nodiscard]] bool is_sampled() const;
};

/// The readings of all storages, computed on first use. Safe to share between threads.
class distinct_blocks {
 public:
  ///   sorted  by the plain recipe; if it does not cut every subject, nothing is covered
  distinct_blocks(const validator::hypothesis& plain, std::span<const validator::subject> subjects,
                  const block_sort& sorted);

  /// Whether the recipe has the blocks of the plain one.
  [[nodiscard]] bool cut_alike(const validator::hypothesis& r) const;
  /// Whether the recipe computes a block from the block's numbers and the tensor's amax alone, so
  /// duplicates need no check.
  [[nodiscard]] bool cover(const validator::hypothesis& r) const;
  /// The reading for a recipe's storage.
  ///   r  covered, with the sizes of the output
  [[nodiscard]] const storage_reading& of(const validator::hypothesis& r);
  /// A block with the input of a number.
  [[nodiscard]] const block_sort::place& first_with(std::uint32_t input) const {
    return firsts_[input];
  }
  [[nodiscard]] std::uint32_t input_of(const block_sort::place& at) const {
    return inputs_[first_[at.tensor] + at.block];
  }
  /// The number of the inputs; theirs are lower.
  [[nodiscard]] std::size_t inputs() const { return firsts_.size(); }
  /// The number of codes of a block, or none_found if the output has no such block.
  [[nodiscard]] std::uint32_t number_of(const std::vector<std::uint8_t>& codes) const;
  static constexpr std::uint32_t none_found = ~std::uint32_t{0};

 private:
  using stored_codes = std::tuple<mx::code_packing, mx::nibble_order, mx::six_bit_order>;
  using storage = std::tuple<stored_codes, mx::scale_layout, validator::scale_motion, int,
                             validator::motion_end>;
  using numbers = std::vector<std::uint32_t>;  ///< one a block: equal for equal blocks
  using text_numbers = std::unordered_map<std::string, std::uint32_t>;

  [[nodiscard]] static stored_codes codes_of(const validator::hypothesis& r);
  [[nodiscard]] const numbers& codes_under(const validator::hypothesis& r);
  [[nodiscard]] storage_reading read(const validator::hypothesis& r);
  [[nodiscard]] block_statement said_at(const validator::geometry& g, const block_sort::place& at,
                                        const numbers& codes) const;
  [[nodiscard]] std::vector<counted_statement> stated(const validator::hypothesis& r,
                                                      const std::vector<block_sort::place>& list,
                                                      const numbers& codes) const;
  [[nodiscard]] std::size_t first_that_says(std::vector<block_statement> statements,
                                            const storage_reading& reading);

  validator::hypothesis plain_;
  std::span<const validator::subject> subjects_;
  const block_sort& sorted_;
  bool cut_ = true;
  std::vector<std::uint64_t> first_;  ///< index of each tensor's first block
  numbers inputs_;
  std::vector<block_sort::place> firsts_;  ///< of each input
  text_numbers code_numbers_;
  std::mutex reading_;
  std::map<stored_codes, numbers> codes_;
  std::map<storage, storage_reading> readings_;
  std::map<std::vector<block_statement>, std::size_t> said_;
};

}  // namespace golden::probe
