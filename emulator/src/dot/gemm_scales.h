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
///   eighths   of a format with at most three fraction bits: the value in units of 2^(exponent - 3)
struct gemm_scale {
  float value = 1;
  int exponent = 0;
  scale_use use = scale_use::nan;
  std::uint32_t eighths = 0;

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
  const auto eighths = static_cast<std::uint32_t>(cut_magnitude(scale.value, scale.exponent - 3));
  return {to_binary32(scale.value), scale.exponent, scale_use::regular, eighths};
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

/// Binades that the scales of a step, of both factors together, may lie apart for kernels that take
/// them as integers.
inline constexpr int weights_apart = 7;

/// The largest C to which a kernel adds steps of which the alignment cuts nothing off; 0 if it may
/// under any. C is a sum of such steps from zero: its bits are multiples of the last bit of some
/// term, two binades below the smallest product of scales, and six more if scales have three
/// fraction bits. That lies in the window of 35 binades if neither C nor a product of scales lies
/// more than 33, or 27, binades above the smallest one. In the kernel's 256 elements C grows by
/// less than 2^14 times the largest product of scales, or 2^16 times. Both terms of a step have at
/// most 24 bits together if the scales of a step lie at most 10 binades apart.
///   unit  elements that share a scale: 32 if scales are powers of two, or 16
[[nodiscard]] inline float largest_near(const scale_bounds& a, const scale_bounds& b, int unit) {
  if (a.is_empty() || b.is_empty()) return 0;
  const bool powers = unit == 32;
  const int apart = powers ? 10 : weights_apart, reach = powers ? 33 : 27,
            growth = powers ? 14 : 16;
  const int top = std::min(a.lowest + b.lowest + reach, 126);
  if (a.apart + b.apart > apart || a.highest + b.highest + growth > top) return 0;
  return float_of(static_cast<std::uint32_t>(top + 127) << 23);
}

}  // namespace mx
