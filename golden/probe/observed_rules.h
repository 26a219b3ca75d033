// SPDX-License-Identifier: Apache-2.0
// golden/probe/observed_rules.h: what an output shows by itself: which rules fit its scales, which its
// codes, and what became of special numbers, whoever the kernel is.
#pragma once
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "golden/probe/sorted_blocks.h"

namespace golden::probe {

/// Ordinary blocks with which a rule agrees.
struct agreement {
  std::string name;
  std::uint64_t blocks = 0, of = 0;
};

/// A block of numbers that kernels treat by rules of their own, and what became of it.
///   elements  some numbers of it, each kind once, with their codes
struct special_outcome {
  std::string what;
  std::uint32_t scale = 0;
  std::vector<std::pair<float, std::uint32_t>> elements;
};

/// An output as bytes at known places.
///   storage  a recipe; where codes and scales lie in it
class observed_output {
 public:
  observed_output(const validator::recipe& storage, std::span<const validator::subject> subjects);

  /// Every scale rule, by scales alone; the best first.
  [[nodiscard]] std::vector<agreement> scale_rules() const;
  /// Every rounding, by codes under the scales that the kernel wrote, zeros of either sign being
  /// equal; the best first.
  [[nodiscard]] std::vector<agreement> roundings() const;
  /// The first block of each kind.
  [[nodiscard]] std::vector<special_outcome> specials() const;

 private:
  validator::recipe storage_;
  std::span<const validator::subject> subjects_;
  block_sort sorted_;
};

}  // namespace golden::probe
