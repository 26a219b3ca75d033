// SPDX-License-Identifier: Apache-2.0
// sim/train/distribution_sums.cpp: see distribution_sums.h.
#include "sim/train/distribution_sums.h"

#include <algorithm>

#include "sim/policy/element_functions.h"
#include "sim/policy/row_functions.h"

namespace sim {

distribution_sums& distribution_sums::operator+=(const distribution_sums& other) {
  tokens += other.tokens, cross_entropy += other.cross_entropy, kl += other.kl;
  entropy += other.entropy, agreeing += other.agreeing;
  return *this;
}

distribution_sums distributions_beside(const batch_pass& pass, int vocabulary,
                                       const std::vector<float>& log_p) {
  distribution_sums sums;
  std::vector<float> q(static_cast<std::size_t>(vocabulary));
  const float* p = log_p.data();
  for (const decoder& d : pass.parts()) {
    const float* log_q = d.outcomes().empty() ? nullptr : d.log_distribution(0, 0);
    for (const token_outcome& o : d.outcomes()) {
      exponential(vocabulary, log_q, q.data());
      sums.kl += double{relative_entropy(vocabulary, q.data(), log_q, p)};
      sums.entropy += double{o.entropy};
      sums.cross_entropy -= double{o.log_probability};
      const bool agrees = std::max_element(log_q, log_q + vocabulary) - log_q ==
                          std::max_element(p, p + vocabulary) - p;
      sums.agreeing += agrees ? 1 : 0;
      sums.tokens += 1;
      log_q += vocabulary;
      p += vocabulary;
    }
  }
  return sums;
}

}  // namespace sim
