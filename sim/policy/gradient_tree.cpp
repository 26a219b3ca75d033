// SPDX-License-Identifier: Apache-2.0
// sim/policy/gradient_tree.cpp: a binary counter whose digits are sums.
#include "sim/policy/gradient_tree.h"

#include <algorithm>
#include <bit>

#include "mx/number/bits.h"
#include "sim/policy/element_functions.h"

namespace sim {

gradient_tree::gradient_tree(std::ptrdiff_t count, int leaves)
    : levels_(static_cast<std::size_t>(mx::bit_width(static_cast<std::uint64_t>(leaves))),
              std::vector<float>(static_cast<std::size_t>(count))) {}

std::vector<float*> gradient_tree::levels_at(std::ptrdiff_t offset, int sequences) {
  std::vector<float*> result;
  const auto first = static_cast<std::size_t>(std::countr_zero(static_cast<unsigned>(sequences)));
  for (std::size_t level = first; level < levels_.size(); ++level) {
    result.push_back(levels_[level].data() + (offset - offset_));
  }
  return result;
}

void gradient_tree::add_leaf(int index, std::ptrdiff_t offset, std::ptrdiff_t count,
                             const float* leaf, int sequences) {
  const std::ptrdiff_t at = offset - offset_;
  const auto first = static_cast<std::size_t>(std::countr_zero(static_cast<unsigned>(sequences)));
  auto last = first;
  while ((index >> last & 1) != 0) ++last;
  float* sum = levels_[last].data() + at;
  std::copy_n(leaf, count, sum);
  for (std::size_t level = first; level < last; ++level) {
    add(count, levels_[level].data() + at, sum);
  }
}

void gradient_tree::total(std::ptrdiff_t offset, std::ptrdiff_t count, float* out) const {
  bool is_first = true;
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    if ((added_ >> level & 1) == 0) continue;
    const float* sums = levels_[level].data() + (offset - offset_);
    if (is_first) {
      std::copy_n(sums, count, out);
    } else {
      add(count, sums, out);
    }
    is_first = false;
  }
}

}  // namespace sim
