// SPDX-License-Identifier: Apache-2.0
// kernels/src/quantize/blocks.h: blocks of any format, under any rule and rounding, by the core's
// own functions: a thread quantizes a block. The baseline for faster kernels, and the fallback for
// everything they do not support.
#pragma once
#include "mx/block/block_quantizer.h"
#include "mx/tensor/blocks.h"
#include "quantize/mxfp4_rows.h"

namespace mx::kernels {

inline constexpr int block_threads = 128;
inline constexpr int largest_block = 256;

/// A matrix as lines: rows, or columns.
///   stride         elements between neighbours of a line
///   line_stride    elements between lines
struct matrix_lines {
  const void* x = nullptr;
  number_type type = number_type::fp32;
  std::uint64_t lines = 0, length = 0, stride = 1, line_stride = 0;

  /// Element i of a line, as binary32.
  [[nodiscard]] MX_HD float at(std::uint64_t line, std::uint64_t i) const noexcept {
    const std::uint64_t place = line * line_stride + i * stride;
    if (type == number_type::fp32) return static_cast<const float*>(x)[place];
    const std::uint32_t code = static_cast<const std::uint16_t*>(x)[place];
    return type == number_type::bf16 ? float_of(code << 16) : pairs::widened_binary16(code);
  }
};

///   tensor_scale  null if the format has none
struct blocks_arguments {
  quantization how;
  matrix_lines from;
  const float* tensor_scale = nullptr;
  scale_place_of place;
  std::uint8_t* codes = nullptr;
  std::uint8_t* scales = nullptr;
  std::uint64_t line_bytes = 0;  ///< of codes
};

/// Bytes in which a scale's code is stored, as in mx::sizes_of.
[[nodiscard]] MX_HD constexpr int bytes_of_scale(const format& scale) noexcept {
  return scale.width() <= 8 ? 1 : (scale.width() <= 16 ? 2 : 4);
}

/// A code of 1, 2 or 4 bytes, little-endian.
MX_HD constexpr void store_scale(const format& scale, std::uint8_t* scales, std::uint64_t place,
                                 std::uint32_t code) noexcept {
  const int bytes = bytes_of_scale(scale);
  for (int i = 0; i < bytes; ++i) {
    scales[place * static_cast<std::uint64_t>(bytes) + static_cast<std::uint64_t>(i)] =
        static_cast<std::uint8_t>(code >> (8 * i));
  }
}

/// Loads `size` values of a line from `first` on, zeros beyond its end.
MX_HD inline void load_block(const matrix_lines& from, std::uint64_t line, std::uint64_t first,
                             std::uint64_t size, float* x) noexcept {
  for (std::uint64_t i = 0; i < size; ++i) {
    x[i] = first + i < from.length ? from.at(line, first + i) : 0.0F;
  }
}

///   scale  null if the format has none
[[nodiscard]] MX_HD constexpr unpacked loaded_tensor_scale(const float* scale) noexcept {
  return scale == nullptr ? unpacked::positive(1, 0) : unpack(*scale);
}

/// Quantizes block `number` and stores its codes and scale.
///   x  its values, zeros beyond the end of the line
MX_HD inline void quantize_loaded_block(const blocks_arguments& to, std::uint64_t number,
                                        const float* x) noexcept {
  const block_format& f = to.how.format;
  const auto size = static_cast<std::uint64_t>(f.size());
  const std::uint64_t line = number / to.place.blocks_a_line;
  const std::uint64_t first = number % to.place.blocks_a_line * size;
  std::uint8_t codes[largest_block];
  const unpacked tensor = loaded_tensor_scale(to.tensor_scale);
  const chosen_scale scale = quantize_block(to.how, x, tensor, number, codes);
  store_scale(f.scale, to.scales, to.place(number), scale.code);
  const bool halved = f.element.width() == 4;
  std::uint8_t* out = to.codes + line * to.line_bytes + (halved ? first / 2 : first);
  for (std::uint64_t i = 0; i < (halved ? size / 2 : size); ++i) {
    out[i] = halved ? static_cast<std::uint8_t>(codes[2 * i] | codes[2 * i + 1] << 4) : codes[i];
  }
}

/// Thread t of the grid quantizes block t.
template <class Thread>
MX_HD void quantize_blocks(const Thread& self, const blocks_arguments& to) {
  const std::uint64_t number =
      self.block() * block_threads + static_cast<std::uint64_t>(self.index());
  if (number >= to.place.lines * to.place.blocks_a_line) return;
  const auto size = static_cast<std::uint64_t>(to.how.format.size());
  float x[largest_block] = {};
  load_block(to.from, number / to.place.blocks_a_line, number % to.place.blocks_a_line * size, size,
             x);
  quantize_loaded_block(to, number, x);
}

}  // namespace mx::kernels
