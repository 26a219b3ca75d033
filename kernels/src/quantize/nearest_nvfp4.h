// SPDX-License-Identifier: Apache-2.0
// kernels/src/quantize/nearest_nvfp4.h: NVFP4 by the rule `ideal`, ties to even: a coder of
// quantize_wide_rows. The code of a positive number follows from comparisons with ties, which are
// exact in binary64: no quotient is rounded. Equals mx::scale_code_of and mx::element_code
// (tests/kernels/quantize/nvfp4_test.cpp).
#pragma once
#include "mx/block/block_scale.h"
#include "quantize/wide_rows.h"

namespace mx::kernels {

/// Tensor scales from 2^-100 to 2^100 are supported: all ties of elements, from 2^-9 * 2^-100 / 4
/// to 448 * 2^100 * 5, are then normal binary32 numbers.
[[nodiscard]] MX_HD constexpr bool is_plain_tensor_scale(float tensor) noexcept {
  return tensor >= 0x1p-100F && tensor <= 0x1p100F;
}

/// The number of an E4M3 code in binary32, and the tie between it and the next code.
///   code  0 to 0x7E
[[nodiscard]] MX_HD constexpr float value_of_ue4m3(std::uint32_t code) noexcept {
  constexpr std::uint32_t lowest = (127 - 7) << 23;
  if (code >= 8) return float_of((code << 20) + lowest);
  return float_of(((code + 8) << 20) + lowest) - 0x1p-6F;
}
[[nodiscard]] MX_HD constexpr float tie_above_ue4m3(std::uint32_t code) noexcept {
  const std::uint32_t half_a_step = 1 << 19;
  if (code >= 8) return float_of(bits_of(value_of_ue4m3(code)) + half_a_step);
  return float_of(bits_of(value_of_ue4m3(code + 8)) + half_a_step) - 0x1p-6F;
}

/// The largest code whose number is not above a quotient, or its neighbour if the quotient is close
/// to a code's number: sufficient for a comparison with the tie, which is far from both.
[[nodiscard]] MX_HD constexpr std::uint32_t about_ue4m3(float quotient) noexcept {
  const bool is_subnormal = quotient < 0x1p-6F;
  const std::uint32_t bits = bits_of(is_subnormal ? quotient + 0x1p-6F : quotient);
  const std::uint32_t code = (bits >> 20) - ((127 - 7) << 3) - (is_subnormal ? 8 : 0);
  return code < 0x7E ? code : 0x7E;
}

/// Scale code of a block: amax / (6 tensor), rounded to nearest even.
///   amax    finite
///   tensor  a plain tensor scale
[[nodiscard]] MX_HD constexpr std::uint32_t nearest_ue4m3(float amax, float tensor) noexcept {
  const double unit = 6 * static_cast<double>(tensor);  // 26 bits: exact
  const std::uint32_t code = about_ue4m3(amax * (1 / (6 * tensor)));
  if (code == 0x7E) return code;
  // 5 bits of the tie times 26: exact.
  const double tie = static_cast<double>(tie_above_ue4m3(code)) * unit;
  const auto size = static_cast<double>(amax);
  return code + (size > tie || (size == tie && code % 2 != 0) ? 1 : 0);
}

/// The largest binary32 numbers with the codes 0 to 6.
struct element_ties {
  std::uint32_t bits[7];
};

/// Ties are those of E2M1 times scale * tensor, which has 28 bits: at a binary32 number equal to a
/// tie, or the next one, the even code decides, so each tie is moved by 2^-40 of itself to that
/// side. Other binary32 numbers are further from it than that.
///   scale  a scale code; under 0 every element is zero
[[nodiscard]] MX_HD constexpr element_ties element_ties_of(std::uint32_t scale,
                                                           float tensor) noexcept {
  constexpr double up = 1 + 0x1p-40, down = 1 - 0x1p-40;
  constexpr double ties[7] = {.25 * up, .75 * down, 1.25 * up, 1.75 * down,
                              2.5 * up, 3.5 * down, 5 * up};
  const double unit = static_cast<double>(value_of_ue4m3(scale)) * static_cast<double>(tensor);
  element_ties result{};
  for (int i = 0; i < 7; ++i) {
    const auto tie = __builtin_bit_cast(std::uint64_t, ties[i] * unit);
    // Normal in binary32 too: the exponent moves by the difference of the biases.
    const std::uint32_t cut = static_cast<std::uint32_t>(tie >> 29) - ((1023U - 127U) << 23);
    result.bits[i] = scale == 0 ? 0x7F800000 : cut;
  }
  return result;
}

/// The number of ties below a magnitude, its code, by bisection.
[[nodiscard]] MX_HD constexpr std::uint32_t code_among(const element_ties& ties,
                                                       std::uint32_t magnitude) noexcept {
  const bool four = magnitude > ties.bits[3];
  const bool two = magnitude > (four ? ties.bits[5] : ties.bits[1]);
  const std::uint32_t low = two ? ties.bits[2] : ties.bits[0];
  const std::uint32_t high = two ? ties.bits[6] : ties.bits[4];
  const bool one = magnitude > (four ? high : low);
  return (four ? 4U : 0U) | (two ? 2U : 0U) | (one ? 1U : 0U);
}

struct nearest_nvfp4 {
  static constexpr int block_pieces = 2;
  struct drawn {
    float tensor;
  };

  block_format format;
  const float* tensor_scale = nullptr;

  template <class Thread>
  [[nodiscard]] MX_HD drawn draw(const Thread&, std::uint64_t, std::uint64_t) const noexcept {
    return {*tensor_scale};
  }

  template <int I, class Thread>
  [[nodiscard]] MX_HD piece_codes codes_of(const Thread& self, const wide_piece& x,
                                           const drawn& given) const noexcept {
    const std::uint32_t amax = largest_of_adjacent<block_pieces>(self, amax_of(x));
    if (amax > 0x7F7FFFFF) return {0, format.scale.nan_code()};
    if (!is_plain_tensor_scale(given.tensor)) return by_core(x, float_of(amax), given.tensor);
    const std::uint32_t scale = nearest_ue4m3(float_of(amax), given.tensor);
    const element_ties ties = element_ties_of(scale, given.tensor);
    std::uint32_t codes = 0;
    for (int i = 0; i < piece_elements; ++i) {
      const std::uint32_t bits = bits_of(x.x[i]);
      const std::uint32_t code = code_among(ties, bits & 0x7FFFFFFF) | (bits >> 28 & 8);
      codes |= code << (4 * i);
    }
    return {codes, scale};
  }

 private:
  [[nodiscard]] MX_HD piece_codes by_core(const wide_piece& x, float amax,
                                          float tensor) const noexcept {
    const unpacked factor = unpack(tensor);
    const std::uint32_t scale =
        amax == 0 ? 0 : scale_code_of(format, scale_rule::ideal, unpack(amax), factor);
    const scale_ratio ratio = ratio_of(format, scale, factor);
    wide_piece left = x;  // shifted element by element: an index would force it into memory
    std::uint32_t codes = 0;
    for (int i = 0; i < piece_elements; ++i) {
      const std::uint32_t code =
          element_code(format.element, unpack(left.x[0]), ratio, rounding::ties_to_even);
      codes = codes >> 4 | code << 28;
      for (int k = 1; k < piece_elements; ++k) left.x[k - 1] = left.x[k];
    }
    return {codes, scale};
  }
};

}  // namespace mx::kernels
