// SPDX-License-Identifier: Apache-2.0
// golden/probe/sorted_blocks.h: the blocks of an output by kind of contents, since kernels handle
// zeros, NaN and Inf by special rules.
#pragma once
#include <array>
#include <span>
#include <vector>

#include "golden/validator/tensor/compare.h"

namespace golden::probe {

/// The blocks of tensors as cut by a recipe.
class block_sort {
 public:
  enum class kind : std::uint8_t { ordinary, zero, special };
  static constexpr std::array kinds{kind::ordinary, kind::zero, kind::special};

  /// A block; `count` is the number of equal blocks it represents.
  struct place {
    std::size_t tensor;
    std::uint64_t block;
    std::uint64_t count = 1;
  };

  /// Tensors that the recipe cannot cut are skipped.
  ///   without  blocks that are left out
  block_sort(const validator::hypothesis& cut, std::span<const validator::subject> subjects,
             std::span<const place> without = {});

  [[nodiscard]] const std::vector<place>& of(kind k) const {
    return places_[static_cast<std::size_t>(k)];
  }
  [[nodiscard]] std::uint64_t count() const;

 private:
  std::array<std::vector<place>, 3> places_;
};

}  // namespace golden::probe
