// SPDX-License-Identifier: Apache-2.0
// kernels/verify/core_values.h: values, codes and scales in the arrays of a case, by the core.
#pragma once

#include "case_table.h"

namespace mx::kernels {

/// A number of `bytes` bytes, little-endian.
[[nodiscard]] inline std::uint32_t number_at(const std::vector<std::uint8_t>& from,
                                             std::size_t index, std::size_t bytes) {
  std::uint32_t code = 0;
  for (std::size_t b = 0; b < bytes; ++b) code |= std::uint32_t{from[index * bytes + b]} << (8 * b);
  return code;
}

[[nodiscard]] inline float value_at(const std::vector<std::uint8_t>& x, number_type type,
                                    std::size_t index) {
  const std::uint32_t code = number_at(x, index, bytes_of(type));
  if (type == number_type::fp32) return float_of(code);
  return to_binary32(
      decode(type == number_type::bf16 ? formats::bfloat16 : formats::binary16, code));
}

inline void store_number(std::vector<std::uint8_t>& out, std::size_t index, std::uint32_t code,
                         std::size_t bytes) {
  for (std::size_t b = 0; b < bytes; ++b) {
    out[index * bytes + b] = static_cast<std::uint8_t>(code >> (8 * b));
  }
}

inline void store_value(std::vector<std::uint8_t>& out, std::size_t index, float value,
                        number_type type) {
  if (type == number_type::fp32) return store_number(out, index, bits_of(value), 4);
  const format& f = type == number_type::bf16 ? formats::bfloat16 : formats::binary16;
  store_number(out, index, encode(f, unpack(value), rounding::ties_to_even, overflow::to_infinity),
               2);
}

[[nodiscard]] inline unpacked tensor_scale_of(const block_format& f, const case_input& input) {
  return f.has_tensor_scale() ? unpack(input.tensor_scale) : no_tensor_scale;
}

[[nodiscard]] inline std::size_t bytes_a_scale(const block_format& f) {
  return sizes_of(f, {}, code_packing::packed).bytes_a_scale;
}

}  // namespace mx::kernels
