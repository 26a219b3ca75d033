// SPDX-License-Identifier: Apache-2.0
// emulator/src/dot/gemm_scales.h: scale codes as the kernels read them.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>

#include "mx/dot/product.h"

namespace mx {

/// Kernel support for a scale.
///   regular  supported: not farther than 48 binades from 1, so that products of two of them and
///            sums of those stay within the normal range of binary32
///   zero     supported; the elements count as zeros
///   far      unsupported, unless all elements are zeros
///   nan      unsupported
enum class scale_use : std::uint8_t { regular, zero, far, nan };

///   exponent  at which the scale is read where terms are aligned
struct gemm_scale {
  float value = 1;
  int exponent = 0;
  scale_use use = scale_use::nan;

  /// Whether the kernels do not support a block under it.
  ///   zeros  all elements are zeros
  [[nodiscard]] bool is_irregular(bool zeros) const {
    return use == scale_use::nan || (use == scale_use::far && !zeros);
  }
};

/// Beyond the end of a line.
inline constexpr gemm_scale no_scale{1, 0, scale_use::zero};

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

/// Exponents of the scales of some lines; scales of blocks of zeros are excluded.
struct scale_bounds {
  static constexpr int none_high = -1000, none_low = 1000;
  int highest = none_high, lowest = none_low;
  int apart = 0;  ///< largest difference between the scales of a step

  [[nodiscard]] bool is_empty() const { return highest < lowest; }
  void add_step(int high, int low) {
    highest = std::max(highest, high), lowest = std::min(lowest, low);
    apart = std::max(apart, high - low);
  }
};

/// Whether, under scales within such bounds and from sums of zero, every step only truncates the
/// last digits of its sum: all terms of a step within 24 bits, and no sum more than 33 binades
/// above a scale, or beyond binary32.
///   growth  binades that a sum may lie above the largest scale
[[nodiscard]] inline bool are_near(const scale_bounds& a, const scale_bounds& b, int growth) {
  if (a.is_empty() || b.is_empty()) return false;
  const int highest = a.highest + b.highest, lowest = a.lowest + b.lowest;
  return a.apart + b.apart <= 10 && highest - lowest + growth <= 33 && highest + growth < 127;
}

}  // namespace mx
