// SPDX-License-Identifier: Apache-2.0
// emulator/src/presets/preset_batch.h: a few blocks whose scales a preset has chosen: the input of
// the kernels of every instruction set.
#pragma once
#include <cstdint>

#include "mx/number/format.h"

namespace mx {

/// How elements become codes.
///   products  the code nearest to RNE32(x * multiplier), ties to even, zeros with their signs
///   searched  of E2M1, the code with the smallest error under a scale, ties to the smaller
///             magnitude, never -0
enum class preset_elements : std::uint8_t { none, products, searched };

/// Block b has its elements at x + b * stride, and its codes, one a byte, at codes + b * stride.
///   stride   a multiple of batch_alignment
///   numbers  of each block: the multiplier, normal; or the scale, of at most 8 bits, with
///            numbers[b] and its reciprocal from 2^-100 to 2^100
struct preset_batch {
  static constexpr int most = 64;

  preset_elements how;
  format element;
  const float* x;
  std::uint64_t stride;
  int count;  ///< at most `most`
  const float* numbers;
  std::uint8_t* codes;
};

/// Codes of finite blocks; those of others are unspecified.
///   returns  the number of blocks done, from the first one on
int preset_codes(const preset_batch& batch);

/// Largest magnitudes of blocks, as patterns: above that of Inf if there is a NaN.
///   stride  a multiple of batch_alignment, not zero
void largest_magnitudes(const float* x, std::uint64_t stride, int count, std::int32_t* out);

}  // namespace mx
