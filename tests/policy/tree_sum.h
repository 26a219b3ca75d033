// SPDX-License-Identifier: Apache-2.0
// tests/policy/tree_sum.h: the sum that a gradient tree holds.
#pragma once
#include <vector>

#include "sim/policy/gradient_tree.h"

namespace test {

/// Of parameters [0, count), where the tree starts.
inline std::vector<float> sum_in(const sim::gradient_tree& tree, std::ptrdiff_t count) {
  std::vector<float> result(static_cast<std::size_t>(count));
  tree.total(0, count, result.data());
  return result;
}

}  // namespace test
