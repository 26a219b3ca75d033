// SPDX-License-Identifier: Apache-2.0
// emulator/src/gemm_scales.h: what a kernel reads of scale codes.
#pragma once
#include <array>
#include <cstdint>
#include <cstdlib>

#include "mx/product.h"

namespace mx {

/// What a kernel can do with a scale.
///   regular  multiply with it: not farther than 48 binades from 1, so that products of two of them
///            and sums of those stay within the normal range of binary32
///   zero     the same; the elements count as zeros
///   far      nothing, unless all elements are zeros
///   nan      nothing
enum class scale_use : std::uint8_t { regular, zero, far, nan };

///   exponent  at which the scale is read where terms are aligned
struct gemm_scale {
  float value = 1;
  int exponent = 0;
  scale_use use = scale_use::nan;
};

[[nodiscard]] inline gemm_scale gemm_scale_of(const format& f, std::uint32_t code) {
  constexpr int farthest = 48;
  const factor scale = factor_of(f, code);
  if (scale.value.is_special() || scale.value.negative) return {};
  if (scale.value.is_zero()) return {0, 0, scale_use::zero};
  if (std::abs(scale.exponent) > farthest) return {1, 0, scale_use::far};
  return {to_binary32(scale.value), scale.exponent, scale_use::regular};
}

using gemm_scale_table = std::array<gemm_scale, 256>;

[[nodiscard]] inline gemm_scale_table gemm_scales_of(const format& f) {
  gemm_scale_table table;
  for (std::uint32_t code = 0; code < 256; ++code) {
    if (code >> f.width() == 0) table[code] = gemm_scale_of(f, code);
  }
  return table;
}

}  // namespace mx
