// SPDX-License-Identifier: Apache-2.0
// golden/probe/sorted_blocks.h: the blocks of an output by what they hold, since kernels treat zeros, NaN
// and Inf by rules of their own.
#pragma once
#include <array>
#include <span>
#include <vector>

#include "golden/validator/tensor/compare.h"

namespace golden::probe {

/// The blocks of tensors as a recipe cuts them.
class block_sort {
 public:
  enum class kind : std::uint8_t { ordinary, zero, special };
  static constexpr std::array kinds{kind::ordinary, kind::zero, kind::special};

  /// A block; `count` of them where it stands for others like it.
  struct place {
    std::size_t tensor;
    std::uint64_t block;
    std::uint64_t count = 1;
  };

  /// Tensors that the recipe does not cut are left out.
  block_sort(const validator::recipe& cut, std::span<const validator::subject> subjects);

  [[nodiscard]] const std::vector<place>& of(kind k) const {
    return places_[static_cast<std::size_t>(k)];
  }
  [[nodiscard]] std::uint64_t count() const;

 private:
  std::array<std::vector<place>, 3> places_;
};

/// Whether all of some blocks, tensor by tensor, are as a recipe makes them; and how many are.
///   r  cuts blocks in the same way, and has the sizes of the output
[[nodiscard]] bool are_explained(const validator::recipe& r,
                                 std::span<const validator::subject> subjects,
                                 const std::vector<block_sort::place>& places,
                                 validator::extent_memory& extents);
[[nodiscard]] std::uint64_t explained(const validator::recipe& r,
                                      std::span<const validator::subject> subjects,
                                      const std::vector<block_sort::place>& places,
                                      validator::extent_memory& extents);

}  // namespace golden::probe
