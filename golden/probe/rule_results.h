// SPDX-License-Identifier: Apache-2.0
// golden/probe/rule_results.h: the results of one recipe for the distinct blocks of an output, each
// computed once for all storages.
#pragma once
#include <array>
#include <deque>
#include <memory>
#include <vector>

#include "golden/probe/output_fit.h"

namespace golden::probe {

/// Not safe to share between threads.
class rule_results {
 public:
  ///   r    of blocks; its storage does not matter
  ///   fit  outlives this; its readings of all compared storages are there
  rule_results(const validator::hypothesis& r, output_fit& fit);

  /// Whether the tensor scales of the output are those of the recipe.
  [[nodiscard]] bool agrees_on_tensor_scales() const;
  /// Whether the recipe gives the findings for a block.
  [[nodiscard]] bool explains(const block_statement& found);
  /// Whether it gives all; the number of blocks for which it does.
  [[nodiscard]] bool explains_all(const std::vector<counted_statement>& list);
  [[nodiscard]] std::uint64_t blocks_explained(const std::vector<counted_statement>& list);

 private:
  struct made_block {
    bool is_made = false;
    std::uint32_t scale = 0, codes = 0;
  };
  static constexpr std::size_t page_inputs = 256;
  using page = std::array<made_block, page_inputs>;

  [[nodiscard]] const made_block& made_of(std::uint32_t input);

  validator::hypothesis rules_;
  output_fit& fit_;
  std::deque<validator::prediction> predictions_;
  std::vector<std::unique_ptr<page>> pages_;
  validator::predicted_block space_;
};

}  // namespace golden::probe
