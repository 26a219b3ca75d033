// SPDX-License-Identifier: Apache-2.0
// golden/reference/pairwise_sum.h: a tree of additions of neighbours.
#pragma once
#include <vector>

#include "golden/reference/term.h"

namespace golden {

/// Neighbours are added until one is left; an odd one at the end goes up as it is.
///   terms  at least one
///   add    a function of two terms that returns their sum, rounded or not, as a term
template <class Add>
[[nodiscard]] term pairwise_sum(std::vector<term> terms, Add add) {
  while (terms.size() > 1) {
    std::vector<term> sums;
    for (std::size_t i = 0; i + 1 < terms.size(); i += 2) {
      sums.push_back(add(terms[i], terms[i + 1]));
    }
    if (terms.size() % 2 == 1) sums.push_back(terms.back());
    terms = std::move(sums);
  }
  return terms.front();
}

}  // namespace golden
