// SPDX-License-Identifier: Apache-2.0
// tests/cross/dot_words.h: words for one model of a dot product, at and beside its decision
// thresholds.
#pragma once
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "dot_twins.h"

namespace cross {

/// Operands of a + sum of products: codes as the model takes them.
struct dot_word {
  std::string name;
  std::vector<std::uint32_t> a, b, scale_a, scale_b;
  std::uint32_t c = 0;

  [[nodiscard]] int size() const { return static_cast<int>(a.size()); }
};

/// Lengths around the steps of a model: none, one, a step and its neighbours, several steps and a
/// rest.
[[nodiscard]] std::vector<int> lengths_of(const dot_twins& twins);

/// Words of k elements, `count` of each kind. A word depends only on its name and the model's.
[[nodiscard]] std::vector<dot_word> words_of(const dot_twins& twins, int k, int count);

}  // namespace cross
