// SPDX-License-Identifier: Apache-2.0
// golden/validator/product/plan.h: plans of a product that differ from the declared one in one
// dimension, as hypotheses about a kernel.
#pragma once
#include <vector>

#include "golden/validator/verdict.h"
#include "mx/dot/gemm.h"

namespace golden::validator {

/// Whether a product has a C, which other plans may add elsewhere.
enum class addend_given : unsigned char { no, yes };

/// A plan as a change of the declared one.
struct plan_hypothesis : change {
  mx::gemm_plan plan;
};

/// Output rounding; where C enters; sums promoted every 64, 128, 256 or 512 of K, or never; K cut
/// into 1 to 16 parts in either order; some of the factors of alpha alone, inverted tensor scales,
/// another order of the factors. Leaves out plans that are impossible or have no effect over
/// this K.
///   factors  combined in the declared alpha
[[nodiscard]] std::vector<plan_hypothesis> hypotheses_beside(const mx::gemm_plan& declared,
                                                             const mx::sum_factors& factors,
                                                             std::int64_t k, addend_given c);

}  // namespace golden::validator
