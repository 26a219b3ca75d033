// SPDX-License-Identifier: Apache-2.0
// golden/reference/rotation.h: Hadamard rotations of groups of elements, a rounding a step.
// Source: TransformerEngine, pytorch/tensor/nvfp4_tensor.py (the signs called fixed);
// arXiv 2502.20586 and 2505.14669 (random signs, and none). Order of the additions: the project's
// D-019.
#pragma once
#include <cstdint>
#include <vector>

namespace golden {

/// Signs that the elements of a group are multiplied by first.
///   fixed   + + + - + - - - - - - + - + - -, again for every 16
///   random  minus where bit i of 128 is 1: those of Philox under the key `seed`, at the counter
///           (0, 0, "HADA", 0)
enum class rotation_signs : unsigned char { none, fixed, random };

/// y = H (s x) / sqrt(size) of every `size` elements, H in Sylvester's order.
///   size  16, 32, 64 or 128
struct rotation {
  std::size_t size = 16;
  rotation_signs signs = rotation_signs::none;
  std::uint64_t seed = 0;
};

/// The sums of H are butterflies: first of neighbours, then of elements 2, 4, 8, ... apart; each
/// sum and difference is rounded to FP32, and so is each product with RNE32(1 / sqrt(size)).
///   x  a multiple of `size` elements
[[nodiscard]] std::vector<float> rotated(const std::vector<float>& x, const rotation& by);

/// RNE32(1 / sqrt(n)).
[[nodiscard]] float reciprocal_of_root(std::size_t n);

}  // namespace golden
