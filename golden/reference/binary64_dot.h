// SPDX-License-Identifier: Apache-2.0
// golden/reference/binary64_dot.h: a b + c of binary64 numbers, and the dot product that
// repeats it.
// Source: IEEE 754-2019, "fusedMultiplyAdd", "The sign bit" and the table of binary64's parameters.
#pragma once
#include <cstdint>
#include <span>

namespace golden {

/// The bits of a b + c: exact, then rounded once to the nearest, ties to even.
///   zero  an exact zero sum is +0, but -0 where product and c are negative zeros
///   NaN   0x7ff8000000000000: where an operand is NaN, for 0 * Inf, and for Inf - Inf
[[nodiscard]] std::uint64_t fused_multiply_add_64(std::uint64_t a, std::uint64_t b,
                                                  std::uint64_t c);

/// sum = a[k] b[k] + sum from c, k ascending. Both have the same length.
[[nodiscard]] std::uint64_t dot_64(std::span<const std::uint64_t> a,
                                   std::span<const std::uint64_t> b, std::uint64_t c);

}  // namespace golden
