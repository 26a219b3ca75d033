// SPDX-License-Identifier: Apache-2.0
// golden/validator/product/errors.h: the elements of a kernel's D against the proven bound of a
// class.
#pragma once
#include <optional>
#include <string>

#include "bound.h"
#include "comparison.h"

namespace golden::validator {

/// An element beyond its bound. Figures are exact, in hexadecimal.
///   error, bound  |found - exact| and its proven bound; empty where D is, or should be, Inf or NaN
///   times         integer part of error / bound; 0 where D is, or should be, Inf or NaN
struct bound_breach {
  std::int64_t row = 0, column = 0;
  std::uint32_t found = 0;
  std::string exact, error, bound;
  std::uint64_t times = 0;
};

/// D against its bound.
///   exceeded       elements beyond it; Inf or NaN where a finite number is required, or vice versa
///   without_bound  elements without a bound: a possible overflow that is Inf, NaN or the largest
///                  number; Inf or NaN times zero or added to C; all where the class has no bound
///   first          in row-major order      worst  by error over bound, Inf and NaN before all
struct product_errors {
  std::uint64_t elements = 0, exceeded = 0, without_bound = 0;
  std::optional<bound_breach> first, worst;
};

/// Checks every element, on all threads.
[[nodiscard]] product_errors errors_of(const mx::gemm_plan& plan, const product_operands& with,
                                       const product_words& words,
                                       const mx::elements_done& done = {});

}  // namespace golden::validator
