// SPDX-License-Identifier: Apache-2.0
// mx/presets/gguf_block.h: the blocks of GGUF files: scale bytes, then codes packed in split
// halves.
// Source: llama.cpp, ggml/src/ggml-common.h (block_mxfp4, block_nvfp4) and ggml-quants.c.
#pragma once
#include "mx/tensor/packing.h"

namespace mx {

/// One block as stored in a file. A row of a tensor is a whole number of blocks, end to end.
struct gguf_block {
  int elements;
  int sub_block;  ///< elements that share one scale byte

  [[nodiscard]] MX_HD constexpr int scales() const noexcept { return elements / sub_block; }
  [[nodiscard]] MX_HD constexpr int bytes() const noexcept { return scales() + elements / 2; }
  [[nodiscard]] MX_HD constexpr nibble_packing packing() const noexcept {
    return nibble_packings::split_half(static_cast<std::uint64_t>(sub_block));
  }
  /// Byte offset of an element's scale.
  [[nodiscard]] MX_HD constexpr int scale_byte(int element) const noexcept {
    return element / sub_block;
  }
  /// Position of an element's code.
  [[nodiscard]] MX_HD constexpr code_place place(int element) const noexcept {
    const code_place at = packing().place(static_cast<std::uint64_t>(element));
    return {at.byte + static_cast<std::uint64_t>(scales()), at.shift};
  }
  /// The inverse of place.
  ///   range  at.byte in [scales(), bytes())
  [[nodiscard]] MX_HD constexpr int element(code_place at) const noexcept {
    return static_cast<int>(
        packing().index({at.byte - static_cast<std::uint64_t>(scales()), at.shift}));
  }
  /// Bytes of a row of count elements, a multiple of elements.
  [[nodiscard]] MX_HD constexpr std::uint64_t row_bytes(std::uint64_t count) const noexcept {
    return count / static_cast<std::uint64_t>(elements) * static_cast<std::uint64_t>(bytes());
  }
};

namespace gguf_blocks {
/// Type 39: one E8M0 byte, 32 E2M1 codes.
[[nodiscard]] MX_HD constexpr gguf_block mxfp4() noexcept { return {32, 32}; }
/// Type 40: four UE4M3 bytes, 64 E2M1 codes; the tensor scale is stored elsewhere.
[[nodiscard]] MX_HD constexpr gguf_block nvfp4() noexcept { return {64, 16}; }
}  // namespace gguf_blocks

/// One block from its scale bytes and its codes, in the order of the elements.
///   block   f.bytes() bytes, all written
MX_HD constexpr void pack(const gguf_block& f, const std::uint8_t* scales,
                          const std::uint8_t* codes, std::uint8_t* block) noexcept {
  for (int i = 0; i < f.scales(); ++i) block[i] = scales[i];
  pack_nibbles(f.packing(), codes, static_cast<std::uint64_t>(f.elements), block + f.scales());
}

/// The inverse of pack.
MX_HD constexpr void unpack(const gguf_block& f, const std::uint8_t* block, std::uint8_t* scales,
                            std::uint8_t* codes) noexcept {
  for (int i = 0; i < f.scales(); ++i) scales[i] = block[i];
  unpack_nibbles(f.packing(), block + f.scales(), static_cast<std::uint64_t>(f.elements), codes);
}

static_assert(gguf_blocks::mxfp4().bytes() == 17 && gguf_blocks::nvfp4().bytes() == 36);
static_assert(gguf_blocks::mxfp4().place(16) == code_place{1, 4});
static_assert(gguf_blocks::nvfp4().place(16) == code_place{12, 0});
static_assert(gguf_blocks::nvfp4().place(63) == code_place{35, 4});
static_assert(gguf_blocks::nvfp4().scale_byte(63) == 3);

}  // namespace mx
