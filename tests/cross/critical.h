// SPDX-License-Identifier: Apache-2.0
// tests/cross/critical.h: blocks for one quantization, at and beside its decision thresholds.
#pragma once
#include <random>
#include <vector>

#include "twins.h"

namespace cross {

/// The positive FP32 number nearest to a value, or a neighbour of it; at most FLT_MAX.
[[nodiscard]] float near(const golden::rational& value, std::mt19937& random);

/// A block whose amax lies on or one ulp beside a bound of a scale rule, a tie between two scales,
/// or 21 * j * 2^k, anywhere in FP32 or near one; its elements lie on or beside ties at the scale.
///   tensor  what elements and amax are multiplied by, roughly
[[nodiscard]] std::vector<float> critical_block(const quantization_twins& q, std::size_t size,
                                                float tensor, std::mt19937& random);

/// Zeros, one element alone, all binades at once, subnormals, and NaN or Inf anywhere.
[[nodiscard]] std::vector<std::vector<float>> odd_blocks(std::size_t size);

}  // namespace cross
