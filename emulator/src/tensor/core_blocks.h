// SPDX-License-Identifier: Apache-2.0
// emulator/src/tensor/core_blocks.h: blocks of a batch by the core, which the kernels equal.
#pragma once
#include <algorithm>
#include <vector>

#include "mx/block/corrected_quantizer.h"
#include "tensor/block_batch.h"

namespace mx {

/// Stores the codes and the scale of block b, and zeros behind them up to the stride; returns
/// whether it is special.
inline bool codes_by_core(const quantization& q, const block_batch& batch, int b) {
  const std::uint64_t at = static_cast<std::uint64_t>(b) * batch.stride;
  const chosen_scale scale = quantize_block(q, batch.x + at, unpack(batch.tensor_scales[b]),
                                            batch.number(b), batch.codes + at);
  std::fill(batch.codes + at + q.format.size(), batch.codes + at + batch.stride, std::uint8_t{0});
  batch.scales[b] = scale.code;
  return scale.special;
}

/// Stores the values of block b, of one row, after quantization and back.
inline void values_by_core(const quantization& q, const block_batch& batch, int b) {
  const std::uint64_t at = static_cast<std::uint64_t>(b) * batch.stride;
  std::vector<std::uint8_t> codes(static_cast<std::size_t>(q.format.columns));
  std::uint32_t scale = 0;
  quantize_pass(q, {}, batch.x + at,
                {q.format.columns, unpack(batch.tensor_scales[b]), {batch.number(b), 1}},
                {codes.data(), &scale, nullptr}, batch.values + at);
}

}  // namespace mx
