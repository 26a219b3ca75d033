// SPDX-License-Identifier: Apache-2.0
// emulator/src/tensor/mxfp4_run.h: a long row of MXFP4 blocks in memory, as passed to the code of
// every target.
#pragma once
#include <cstdint>

#include "simd/rule_bounds.h"
#include "tensor/block_batch.h"

namespace mx {

/// Consecutive blocks of 32 values; 16 bytes of codes and a scale each.
///   x      numbers of the type
///   first  number of the first block in the tensor
struct mxfp4_run {
  number_type type;
  const unsigned char* x;
  std::uint64_t blocks;
  std::uint64_t first;
  scale_rule rule;
  mx::rounding rounding;
  random_source random;
  storing how;
  std::uint8_t* codes;
  std::uint8_t* scales;
};

/// Whether the kernels support type, rule and rounding: |x| stays below 8 scale.
[[nodiscard]] constexpr bool has_mxfp4_kernel(const mxfp4_run& run) noexcept {
  const bool nearest = run.rounding == rounding::ties_to_even;
  const bool stochastic = run.rounding == rounding::stochastic && run.random.bits <= 8;
  const bool read = run.type == number_type::fp32 || (run.type == number_type::bf16 && nearest);
  return read && has_rule_bounds(run.rule) && run.rule != scale_rule::floor6 &&
         (nearest || stochastic);
}

/// Equals mx::quantize_block with two codes a byte, low nibble first.
///   blocks   fewer than 2^31
///   returns  the number of special blocks; -1, without effect, if there is no kernel
std::int64_t quantize_mxfp4(const mxfp4_run& run);

}  // namespace mx
