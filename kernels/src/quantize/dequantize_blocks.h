// SPDX-License-Identifier: Apache-2.0
// kernels/src/quantize/dequantize_blocks.h: values of codes and scales of any format by the core's
// own functions: a thread computes an element.
#pragma once
#include "quantize/blocks.h"

namespace mx::kernels {

inline constexpr int element_threads = 256;

/// Stores a value: FP32, or that rounded once more to nearest even.
MX_HD inline void store_value(void* out, number_type type, std::uint64_t place,
                              float value) noexcept {
  if (type == number_type::fp32) {
    static_cast<float*>(out)[place] = value;
    return;
  }
  const unpacked exact = unpack(value);
  const std::uint32_t code =
      type == number_type::bf16
          ? encode<formats::bfloat16>(exact, rounding::ties_to_even, overflow::to_infinity)
          : encode<formats::binary16>(exact, rounding::ties_to_even, overflow::to_infinity);
  static_cast<std::uint16_t*>(out)[place] = static_cast<std::uint16_t>(code);
}

[[nodiscard]] MX_HD constexpr std::uint32_t loaded_scale(const format& scale,
                                                         const std::uint8_t* scales,
                                                         std::uint64_t place) noexcept {
  const int bytes = bytes_of_scale(scale);
  std::uint32_t code = 0;
  for (int i = 0; i < bytes; ++i) {
    const auto at = place * static_cast<std::uint64_t>(bytes) + static_cast<std::uint64_t>(i);
    code |= std::uint32_t{scales[at]} << (8 * i);
  }
  return code;
}

///   lines   of the matrix; the scale place counts lines of blocks
///   length  of a line, without padding
///   out_stride  elements between lines of the results
struct dequantize_arguments {
  block_format format;
  const std::uint8_t* codes = nullptr;
  const std::uint8_t* scales = nullptr;
  const float* tensor_scale = nullptr;
  scale_place_of place;
  std::uint64_t lines = 0, length = 0, line_bytes = 0;
  number_type type = number_type::fp32;
  void* out = nullptr;
  std::uint64_t out_stride = 0;
};

/// Thread t of the grid computes element t.
template <class Thread>
MX_HD void dequantize_blocks(const Thread& self, const dequantize_arguments& to) {
  const std::uint64_t number =
      self.block() * element_threads + static_cast<std::uint64_t>(self.index());
  if (number >= to.lines * to.length) return;
  const block_format& f = to.format;
  const std::uint64_t line = number / to.length, i = number % to.length;
  const std::uint64_t place = to.place.at(line / static_cast<std::uint64_t>(f.rows),
                                          i / static_cast<std::uint64_t>(f.columns));
  const bool halved = f.element.width() == 4;
  const std::uint8_t byte = to.codes[line * to.line_bytes + (halved ? i / 2 : i)];
  const std::uint32_t code = halved ? byte >> (i % 2 * 4) & 0xFU : byte;
  const unpacked tensor = loaded_tensor_scale(to.tensor_scale);
  const std::uint32_t scale = loaded_scale(f.scale, to.scales, place);
  store_value(to.out, to.type, line * to.out_stride + i,
              dequantize_element(f, code, scale, tensor));
}

}  // namespace mx::kernels
