// SPDX-License-Identifier: Apache-2.0
// golden/validator/product/bound.h: how far an element of a product may be from the exact one, for
// every kernel of a class, in any order of K: a theorem, not a tuned number.
//
// A class is a plan with its model's accumulation: what is cut off in a step, how often and to
// which format a sum is rounded. Write p for the terms (products as the model reads them, or exact
// sums of groups) and C for the initial value of the sum. Every operation of the class, a step or
// an addition, computes
//   r = (sum of its inputs + cuts) (1 + d) + s,   |d| <= rho,
// where s is the absolute error among subnormals or of a flush. Unrolled, the result is
//   sum over terms of p * product of (1 + d) on its path  +  sum of (cuts, s) * such products.
// With X the largest sum of rho along a path, every such product lies within G of 1,
//   G = e^X - 1 <= X + X^2 (X <= 1), else <= 2^ceil(3 X / 2),
// and with T = |C| + sum |p| and H the sum of all |cuts| and |s|
//   |result - exact| <= G T + (1 + G) H,   |any intermediate| <= M = (1 + G') (T + H'),
// in which G' and H' leave out cuts and roundings toward zero: these increase no magnitude.
// A cut loses less than 2^(E - F), where E is no less than the largest exponent of any window: that
// of a term, of an intermediate (at most floor(log2 M)), of the zeros, or of the subnormals. A term
// whose last bit is at 2^(E - F) or above loses nothing in any window. As H' may depend on E, and E
// on M, E is raised until it is consistent; then the bound holds by induction over the operations.
#pragma once
#include <cstdint>
#include <optional>

#include "mx/dot/gemm.h"
#include "terms.h"
#include "upper_bound.h"

namespace golden::validator {

/// Operation counts of a class over some K: on the longest path of a term, and in total.
///   step_depth, steps         sums of products, rounded to model.sum.output
///   add_depth, additions      additions, to nearest, of numbers of the result
struct operation_counts {
  std::uint64_t step_depth = 0, steps = 0, add_depth = 0, additions = 0;
};
[[nodiscard]] operation_counts counts_of(const mx::gemm_plan& plan, std::int64_t k);

/// Proven bound of an element.
///   error      |d - exact| <= error, unless an intermediate overflowed
///   overflows  whether an intermediate may overflow
struct element_bound {
  upper_bound error;
  enum class range : unsigned char { finite, may_overflow } overflows = range::finite;
};

/// Bound of an element without NaN and Inf; no value where the class has none: K is so long that
/// rounding errors may exceed any bound (X > 16), or alpha is NaN or Inf.
///   c  of the plan, decoded
[[nodiscard]] std::optional<element_bound> bound_of(const mx::gemm_plan& plan, std::int64_t k,
                                                    const product_terms& terms,
                                                    const mx::unpacked& c);

}  // namespace golden::validator
