// SPDX-License-Identifier: Apache-2.0
// golden/probe/observed_rules.h: properties visible in an output alone: rules that fit its scales,
// rules that fit its codes, and the results of special numbers, for any kernel.
#pragma once
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "golden/probe/sorted_blocks.h"
#include "golden/validator/dimension.h"

namespace golden::probe {

/// Ordinary blocks that agree with a rule.
struct agreement {
  std::string name;
  std::uint64_t blocks = 0, of = 0;
};

/// A block of numbers that kernels handle by special rules, and its result.
///   elements  numbers of the block, one of each kind, with their codes
struct special_outcome {
  std::string what;
  std::uint32_t scale = 0;
  std::vector<std::pair<float, std::uint32_t>> elements;
};

/// An output as bytes at known positions.
///   storage  a recipe that gives the positions of codes and scales
class observed_output {
 public:
  observed_output(const validator::hypothesis& storage,
                  std::span<const validator::subject> subjects);

  /// Every scale rule, judged by scales alone; the best first.
  [[nodiscard]] std::vector<agreement> scale_rules() const;
  /// Every rounding, judged by codes under the scales that the kernel wrote, zeros of either sign
  /// being equal; the best first.
  [[nodiscard]] std::vector<agreement> roundings() const;
  /// The first block of each kind.
  [[nodiscard]] std::vector<special_outcome> specials() const;

 private:
  template <class Rule, class Agrees>
  [[nodiscard]] std::vector<agreement> agreements(validator::dimension d, const Rule& is_other,
                                                  const Agrees& agrees) const;

  validator::hypothesis storage_;
  std::span<const validator::subject> subjects_;
  block_sort sorted_;
};

}  // namespace golden::probe
