// SPDX-License-Identifier: Apache-2.0
// golden/validator/tensor/code_walk.h: a prediction against the bytes of a file: codes part by
// part, then all scales; memory is one part and eight bytes a block.
#pragma once
#include <atomic>
#include <vector>

#include "bulk_codes.h"
#include "chunks.h"
#include "golden/validator/places/marks.h"

namespace golden::validator {

/// A prediction against the bytes: computed scales, and wrong codes of each block.
class code_walk {
 public:
  /// Extent: all blocks, or up to the first part with a mismatch.
  enum class reach : unsigned char { all, first_wrong };

  ///   to  if not null, every place that differs is added to it; requires reach::all
  code_walk(const prediction& p, const mx::blocks_done& done, marks* to = nullptr);

  /// Counts wrong codes.
  ///   returns  false if it stopped at a mismatch
  bool codes(reach how_far);

  [[nodiscard]] std::uint32_t expected_scale(std::uint64_t block) const;
  [[nodiscard]] bool scale_differs(std::uint64_t block) const;
  [[nodiscard]] std::uint32_t wrong_codes(std::uint64_t block) const { return wrong_[block]; }

 private:
  [[nodiscard]] bool is_core_order() const;
  void by_block(std::uint64_t first, std::uint64_t count);
  void by_bulk(const chunk& c);
  template <class Code>
  void count_wrong(std::uint64_t block, const Code& code);
  [[nodiscard]] bool same_bytes(const chunk& c) const;
  void count_in(const chunk& c);
  [[nodiscard]] bool scales_differ(const chunk& c) const;

  const prediction& p_;
  const geometry& g_;
  bulk_codes bulk_;
  std::vector<std::uint32_t> scales_;
  std::vector<std::uint32_t> wrong_;
  const mx::blocks_done& done_;
  marks* marks_;
  std::atomic<bool> any_wrong_{false};
};

}  // namespace golden::validator
