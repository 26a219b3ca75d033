// SPDX-License-Identifier: Apache-2.0
// golden/reference/dot.h: a + b c rounded once, and the dot product that repeats it.
// Source: IEEE 754-2019, "fusedMultiplyAdd" and "The sign bit".
#pragma once
#include <vector>

#include "golden/reference/binary32.h"

namespace golden {

/// RNE32(a + b c), one rounding.
///   zero  an exact zero sum is +0, but -0 where both terms are negative zeros
///   NaN   where an operand is NaN, for 0 * Inf, and for Inf - Inf
[[nodiscard]] float fused_multiply_add(float a, float b, float c);

/// acc = RNE32(acc + a[k] b[k]) from +0, k ascending. Both have the same length.
[[nodiscard]] float dot_fma(const std::vector<float>& a, const std::vector<float>& b);

}  // namespace golden
