// SPDX-License-Identifier: Apache-2.0
// mx/block/block.h: one scale and K elements; quantize and dequantize.
// Source: OCP Microscaling Formats (MX) v1.0, clauses 5.1, 5.2 (block) and 6.3 (conversion). Open
// choices: D-001 to D-006.
#pragma once
#include "mx/block/scale.h"

namespace mx {

template <class Element, class Scale, int K>
struct block {
  static constexpr int size = K;
  Scale scale;
  Element elements[K];

  friend constexpr bool operator==(const block&, const block&) = default;
};

using mxfp4 = block<e2m1, e8m0, 32>;

/// What the scale of a block is chosen from.
struct block_extent {
  unpacked amax;         ///< largest finite magnitude; zero if no element is finite
  bool special = false;  ///< whether any value is NaN or Inf
};

[[nodiscard]] MX_HD constexpr block_extent extent_of(const float* x, int count) noexcept {
  std::uint32_t largest = 0;
  bool special = false;
  for (int i = 0; i < count; ++i) {
    const std::uint32_t magnitude = bits_of(x[i]) & 0x7FFFFFFF;
    if (magnitude > formats::binary32.max_code()) {
      special = true;
    } else if (magnitude > largest) {
      largest = magnitude;
    }
  }
  return {decode<formats::binary32>(largest), special};
}

/// Element nearest to x / scale; the division is a shift of the exponent, so exact.
[[nodiscard]] MX_HD constexpr e2m1 quantize_element(const unpacked& x, e8m0 scale) noexcept {
  return e2m1::nearest(x.scaled_by_power_of_two(-scale.exponent()));
}

/// MXFP4 block of 32 FP32 values.
///   ties     to even; beyond 6 * scale the element saturates
///   special  a block that contains a NaN or an Inf takes the NaN scale and codes 0 (D-005)
[[nodiscard]] MX_HD constexpr mxfp4 quantize(const float* x, scale_rule rule) noexcept {
  const block_extent extent = extent_of(x, mxfp4::size);
  if (extent.special) return {e8m0::nan(), {}};
  mxfp4 result{shared_scale<formats::e2m1>(rule, extent.amax), {}};
  for (int i = 0; i < mxfp4::size; ++i) {
    result.elements[i] = quantize_element(unpack(x[i]), result.scale);
  }
  return result;
}

/// The exact value of an element under its scale, which must not be NaN.
[[nodiscard]] MX_HD constexpr unpacked value_of(e2m1 element, e8m0 scale) noexcept {
  return element.value().scaled_by_power_of_two(scale.exponent());
}

/// The FP32 value of a code under a scale: exact, or Inf beyond FLT_MAX.
///   scale NaN  returns the canonical NaN (0x7FC00000)
[[nodiscard]] MX_HD constexpr float dequantize(e2m1 element, e8m0 scale) noexcept {
  if (scale.is_nan()) return float_of(nan_bits);
  return to_binary32(value_of(element, scale));
}

static_assert(dequantize(e2m1{1}, e8m0::smallest()) == 0x1p-128F);
static_assert(bits_of(dequantize(e2m1{15}, e8m0{254})) == 0xFF800000);  // -6 * 2^127

}  // namespace mx
