// SPDX-License-Identifier: Apache-2.0
// golden/validator/product/factors.h: what else a kernel may multiply its sums by: a part of alpha
// and the tensor scales, reciprocals, the same numbers in another order.
#pragma once
#include <vector>

#include "golden/validator/verdict.h"
#include "mx/dot/gemm.h"

namespace golden::validator {

/// Factors as a change of the declared ones.
struct factor_hypothesis : change {
  float alpha = 1;  ///< the combined factor
};

/// Each combined factor once, without the declared one; fewest factors left out first.
[[nodiscard]] std::vector<factor_hypothesis> factors_beside(const mx::sum_factors& declared);

}  // namespace golden::validator
