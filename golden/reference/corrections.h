// SPDX-License-Identifier: Apache-2.0
// golden/reference/corrections.h: macro-block scaling and outlier fallback, in exact rationals.
// Source: arXiv 2603.08713 (macro-block scale), arXiv 2605.20402 (both, as corrections).
#pragma once
#include <optional>
#include <vector>

#include "golden/reference/quantizer.h"

namespace golden {

/// A vector shorter than `elements` is one macro block.
struct macro_block_shape {
  int elements = 128;     ///< elements that share a factor: a multiple of 32
  int fraction_bits = 8;  ///< fraction bits of the factor
};

/// The macro-block factor is f = 1 + M / 2^fraction_bits. With 2^k the power of two that puts
/// 6 * 2^k / amax into [1, 2), M is the largest integer below 2^fraction_bits for which
/// f * amax <= 6 * 2^k; it is 0 where amax is 0.
///   returns  M
[[nodiscard]] int macro_fraction(const rational& amax, int fraction_bits);

/// RNE32(Q(f x) / f), with f x exact, Q in blocks of 32, and one rounding of the exact quotient.
///   x        its length is a multiple of 32
///   special  a block of 32 with a NaN or an Inf becomes NaN; its finite elements count for amax
[[nodiscard]] std::vector<float> macro_block_quantize(const std::vector<float>& x, scale_rule rule,
                                                      macro_block_shape shape = {});

/// RNE32(x1 + alpha x2) with x1 = Q(x), x2 = Q(RNE32(x - x1)); Q is plain, or the macro-block
/// quantizer. Both sums treat zeros, Infs and NaNs as IEEE additions do.
///   alpha  finite
[[nodiscard]] std::vector<float> outlier_fallback(const std::vector<float>& x, scale_rule rule,
                                                  float alpha,
                                                  std::optional<macro_block_shape> shape = {});

}  // namespace golden
