// SPDX-License-Identifier: Apache-2.0
// emulator/src/presets/gathered_blocks.h: a few gathered blocks, quantized as by a preset: on
// vectors where codes follow from the largest magnitudes, and one by one elsewhere.
#pragma once
#include "presets/variant_blocks.h"
#include "tensor/block_batch.h"

namespace mx {

/// A preset on a tensor. Its two functions take the number of a block:
///   choose(block, largest, chosen), as that of mx_variant_blocks
///   quantize(block, values, magnitudes, codes): returns the scale's code
template <class Choose, class Quantize>
struct tensor_preset {
  preset_elements how;
  format element;
  Choose choose;
  Quantize quantize;
};

/// A few blocks, gathered: those that follow from their largest magnitude all at once, the others
/// one by one.
template <class Preset>
class gathered_blocks {
 public:
  gathered_blocks(const Preset& preset, std::uint64_t size)
      : preset_(preset),
        size_(size),
        vectors_(preset.how != preset_elements::none && size % batch_alignment == 0) {}

  /// Returns the number of blocks with NaN or Inf.
  ///   count  at most preset_batch::most
  std::uint64_t quantize(std::uint64_t first, int count, const float* x, std::uint8_t* codes,
                         std::uint8_t* scales) {
    const int done = vectors_ ? all_at_once(first, count, x, codes) : 0;
    std::uint64_t special = 0;
    for (int b = 0; b < count; ++b) {
      if (b < done && chosen_[b].code != 0) {
        scales[b] = chosen_[b].code;
        continue;
      }
      const std::uint64_t at = static_cast<std::uint64_t>(b) * size_;
      const block_magnitudes sizes(x + at, static_cast<int>(size_));
      if (sizes.is_special()) ++special;
      scales[b] =
          preset_.quantize(first + static_cast<std::uint64_t>(b), x + at, sizes, codes + at);
    }
    return special;
  }

 private:
  /// The code 0 marks blocks that are left.
  int all_at_once(std::uint64_t first, int count, const float* x, std::uint8_t* codes) {
    largest_magnitudes(x, size_, count, largest_);
    for (int b = 0; b < count; ++b) {
      chosen_[b] = {};
      const auto largest = static_cast<std::uint32_t>(largest_[b]);
      if (!preset_.choose(first + static_cast<std::uint64_t>(b), largest, chosen_[b])) {
        chosen_[b] = {};
      }
      numbers_[b] = chosen_[b].number;
    }
    return preset_codes({preset_.how, preset_.element, x, size_, count, numbers_, codes});
  }

  const Preset& preset_;
  std::uint64_t size_;
  bool vectors_;
  std::int32_t largest_[preset_batch::most] = {};
  block_number chosen_[preset_batch::most];
  float numbers_[preset_batch::most] = {};
};

}  // namespace mx
