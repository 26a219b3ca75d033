// SPDX-License-Identifier: Apache-2.0
// sim/claims/sign_flip.h: the exact sign-flip test, which assumes symmetry and no distribution.
#pragma once
#include <cstddef>
#include <span>

namespace sim {

inline constexpr std::size_t most_flipped = 40;

/// One-sided p-value of "the mean is above 0": the share of all 2^n sign vectors under which the
/// sum of the values is at least theirs. Sums are of integers, so equal sums count as equal: values
/// are rounded to multiples of 2^-40 of the power of two above the largest one, which leaves out
/// what binary64 rounded in them.
///   range  at most 40 finite values
[[nodiscard]] double sign_flip_above_zero(std::span<const double> values);

}  // namespace sim
