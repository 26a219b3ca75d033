// SPDX-License-Identifier: Apache-2.0
// kernels/src/quantize/dequantize_mxfp4_rows.h: values of MXFP4 rows that are whole blocks: a
// thread decodes eight codes, loads 4 bytes and stores 16 or 32. Also the fake quantization of rows
// in one pass. Equals mx::dequantize (tests/kernels/verify/backends_test.cpp).
#pragma once
#include "quantize/mxfp4_rows.h"

namespace mx::kernels {

/// 2^exponent of a scale code below 255; code 0 is subnormal.
[[nodiscard]] MX_HD constexpr float power_of_scale(std::uint32_t code) noexcept {
  return float_of(code == 0 ? 0x00400000U : code << 23);
}

/// The value of a code under a scale. The product is exact, or Inf: an element has two significand
/// bits, and half of the smallest scale is a binary32 number.
///   code   bits above the lowest four are ignored
///   scale  power_of_scale
[[nodiscard]] MX_HD constexpr float value_of(std::uint32_t code, float scale) noexcept {
  // The magnitude's bits are fraction and exponent of a binary32 number whose exponent is less by
  // 126; those of 1/2 are a subnormal, which the multiplication normalizes.
  const float tiny = float_of((code & 7U) << 22 | (code & 8U) << 28);
  return tiny * 0x1p126F * scale;
}

/// Where the pieces of a matrix of results are stored.
struct piece_target {
  void* out = nullptr;
  row_gaps gaps;

  template <number_type Type>
  [[nodiscard]] MX_HD quad_word* at(std::uint64_t number) const noexcept {
    return static_cast<quad_word*>(out) + gaps.place_of<Type>(number);
  }
};

struct dequantize_rows_arguments {
  const std::uint32_t* codes = nullptr;
  const std::uint8_t* scales = nullptr;
  std::uint64_t pieces = 0;
  scale_place_of place;
  piece_target to;
};

/// Words of results: one a number for FP32, one for two numbers otherwise.
template <number_type Type>
inline constexpr int words_a_piece =
    Type == number_type::fp32 ? piece_elements : piece_elements / 2;

template <number_type Type>
[[nodiscard]] MX_HD constexpr std::uint32_t nan_word() noexcept {
  if constexpr (Type == number_type::fp32) return nan_bits;
  if constexpr (Type == number_type::bf16) return pairs::both(format{formats::bfloat16}.nan_code());
  return pairs::both(format{formats::binary16}.nan_code());
}

/// Word i of eight values.
template <number_type Type>
[[nodiscard]] MX_HD inline std::uint32_t word_of(const float* value, int i) noexcept {
  if constexpr (Type == number_type::fp32) return bits_of(value[i]);
  if constexpr (Type == number_type::bf16) {
    return pairs::bfloat16_pair(value[2 * i], value[2 * i + 1]);
  }
  return pairs::binary16_pair(value[2 * i], value[2 * i + 1]);
}

/// Stores the values of eight codes from a word of 16 bytes on.
template <number_type Type>
MX_HD inline void store_decoded(quad_word* to, std::uint32_t codes, std::uint32_t scale) noexcept {
  constexpr int words = words_a_piece<Type>;
  const bool is_nan = scale == e8m0::nan().code;
  const float factor = power_of_scale(scale);
  float value[piece_elements];
  for (int i = 0; i < piece_elements; ++i) value[i] = value_of(codes >> (4 * i), factor);
  quad_word stored[words / 4];
  for (int i = 0; i < words; ++i) {
    stored[i / 4].word[i % 4] = is_nan ? nan_word<Type>() : word_of<Type>(value, i);
  }
  for (int i = 0; i < words / 4; ++i) to[i] = stored[i];
}

/// Thread t of the grid decodes piece t.
template <number_type Type, class Thread>
MX_HD void dequantize_mxfp4_rows(const Thread& self, const dequantize_rows_arguments& to) {
  const std::uint64_t number =
      self.block() * mxfp4_rows_threads + static_cast<std::uint64_t>(self.index());
  if (number >= to.pieces) return;
  store_decoded<Type>(to.to.at<Type>(number), to.codes[number], to.scales[to.place(number / 4)]);
}

///   to  may be where the pieces are loaded: a thread stores only what it loaded
struct fake_quantize_rows_arguments {
  piece_source from;
  std::uint64_t pieces = 0;
  scale_step step;
  piece_target to;
};

template <number_type Type, class Thread>
MX_HD void fake_quantize_mxfp4_rows(const Thread& self, const fake_quantize_rows_arguments& to) {
  const std::uint64_t number =
      self.block() * mxfp4_rows_threads + static_cast<std::uint64_t>(self.index());
  const bool is_inside = number < to.pieces;
  const piece x = is_inside ? narrowed(stored_piece_at<Type>(to.from.at<Type>(number))) : piece{};
  const quarter_block own = quarter_block_of(self, x, to.step);
  if (is_inside) store_decoded<Type>(to.to.at<Type>(number), own.codes, own.scale);
}

}  // namespace mx::kernels
