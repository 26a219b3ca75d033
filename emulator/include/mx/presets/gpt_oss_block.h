// SPDX-License-Identifier: Apache-2.0
// mx/presets/gpt_oss_block.h: the MXFP4 weights of gpt-oss: `blocks` [rows, G, 16] and `scales`
// [rows, G].
// Source: openai/gpt-oss, gpt_oss/torch/weights.py; to GGUF: llama.cpp, conversion/gpt_oss.py.
#pragma once
#include "mx/presets/gguf_block.h"

namespace mx {

/// A row has G blocks of 32 elements, so K = 32 G. Leading dimensions (experts) multiply the rows.
/// Codes are packed low_first, scales are E8M0. Rows 2i and 2i + 1 of the first product of an
/// expert are gate and up row i: GGUF stores them as two tensors of whole rows.
struct gpt_oss_shape {
  std::uint64_t rows, groups;

  static constexpr std::uint64_t elements_of_block = 32, bytes_of_block = 16;

  [[nodiscard]] MX_HD constexpr std::uint64_t columns() const noexcept {
    return groups * elements_of_block;
  }
  [[nodiscard]] MX_HD constexpr std::uint64_t blocks_size() const noexcept {
    return rows * groups * bytes_of_block;
  }
  [[nodiscard]] MX_HD constexpr std::uint64_t scales_size() const noexcept { return rows * groups; }
  /// Byte of `scales` of the element at (row, column).
  [[nodiscard]] MX_HD constexpr std::uint64_t scale_byte(std::uint64_t row,
                                                         std::uint64_t column) const noexcept {
    return row * groups + column / elements_of_block;
  }
  /// Position in `blocks` of the code of the element at (row, column).
  [[nodiscard]] MX_HD constexpr code_place place(std::uint64_t row,
                                                 std::uint64_t column) const noexcept {
    return nibble_packings::low_first().place(row * columns() + column);
  }
  /// The inverse of place, as row * columns() + column.
  [[nodiscard]] MX_HD constexpr std::uint64_t element(code_place at) const noexcept {
    return nibble_packings::low_first().index(at);
  }
};

/// The GGUF block (17 bytes) of one block of `blocks` (16 bytes) and its scale.
MX_HD constexpr void gguf_from_gpt_oss(const std::uint8_t* block, std::uint8_t scale,
                                       std::uint8_t* gguf) noexcept {
  std::uint8_t codes[gpt_oss_shape::elements_of_block] = {};
  unpack_nibbles(nibble_packings::low_first(), block, gpt_oss_shape::elements_of_block, codes);
  pack(gguf_blocks::mxfp4(), &scale, codes, gguf);
}

/// The inverse of gguf_from_gpt_oss.
MX_HD constexpr void gpt_oss_from_gguf(const std::uint8_t* gguf, std::uint8_t* block,
                                       std::uint8_t* scale) noexcept {
  std::uint8_t codes[gpt_oss_shape::elements_of_block] = {};
  unpack(gguf_blocks::mxfp4(), gguf, scale, codes);
  pack_nibbles(nibble_packings::low_first(), codes, gpt_oss_shape::elements_of_block, block);
}

static_assert(gpt_oss_shape{3, 2}.columns() == 64 && gpt_oss_shape{3, 2}.blocks_size() == 96);
static_assert(gpt_oss_shape{3, 2}.place(1, 33) == code_place{48, 4});
static_assert(gpt_oss_shape{3, 2}.scale_byte(1, 33) == 3);

}  // namespace mx
