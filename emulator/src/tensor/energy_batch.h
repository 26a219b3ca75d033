// SPDX-License-Identifier: Apache-2.0
// emulator/src/tensor/energy_batch.h: consecutive blocks of some shares: the input of the kernels
// of every instruction set.
#pragma once
#include <algorithm>

#include "mx/block/energy.h"

namespace mx {

/// Block b has its elements at x + b * stride, in the block's order, padded with zeros to the
/// stride.
struct energy_batch {
  const float* x;
  std::int64_t stride;
  std::int64_t blocks;
  std::int64_t readable;         ///< readable blocks in memory from x on
  std::uint64_t first;           ///< number of block 0
  const std::int64_t* elements;  ///< inside the tensor, of each block; null: all
  const float* tensor_scales;    ///< of each block; null: no tensor scale
  std::uint8_t* codes;           ///< space for the codes of one block
  [[nodiscard]] std::int64_t elements_of(std::int64_t block, const block_format& f) const {
    return elements == nullptr ? f.size() : elements[block];
  }
  [[nodiscard]] unpacked tensor_scale_of(std::int64_t block) const {
    return tensor_scales == nullptr ? no_tensor_scale : unpack(tensor_scales[block]);
  }
  /// Adds one block by the core.
  void add_clearly(const quantization& q, std::int64_t block, energy_share& share) const {
    share.add(q, x + block * stride, elements_of(block, q.format), tensor_scale_of(block),
              first + static_cast<std::uint64_t>(block), codes);
  }
  /// Adds all blocks by the core.
  void add_clearly(const quantization& q, energy_share& share) const {
    for (std::int64_t b = 0; b < blocks; ++b) add_clearly(q, b, share);
  }
  /// Blocks begin to begin + count.
  [[nodiscard]] energy_batch part(std::int64_t begin, std::int64_t count) const {
    return {x + begin * stride,
            stride,
            count,
            readable - begin,
            first + static_cast<std::uint64_t>(begin),
            elements == nullptr ? nullptr : elements + begin,
            tensor_scales == nullptr ? nullptr : tensor_scales + begin,
            codes};
  }
};

/// Writes the energies of the shares of a batch that begins with one.
///   add  adds the blocks of a batch to a share: add(batch, share)
template <class Add>
void each_share(const energy_batch& batch, const format& element, std::int64_t share_blocks,
                error_energy* shares, const Add& add) {
  for (std::int64_t begin = 0; begin < batch.blocks; begin += share_blocks) {
    energy_share share(element);
    add(batch.part(begin, std::min(share_blocks, batch.blocks - begin)), share);
    *shares++ = share.finished();
  }
}

}  // namespace mx
