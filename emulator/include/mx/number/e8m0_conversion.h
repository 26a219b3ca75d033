// SPDX-License-Identifier: Apache-2.0
// mx/number/e8m0_conversion.h: conversions of one FP32 number to E8M0, and of one E8M0 code to a
// number, as other projects define them.
// Source: of each conversion in its `source`.
#pragma once
#include <array>
#include <cstdint>
#include <string_view>

#include "mx/number/fp32.h"

namespace mx {

/// Rounding of a magnitude to a power of two; a power of two itself is exact.
///   nearest_even        the nearest, a tie to the even code; below 1.5 * 2^-128 it is zero
///   nearest_up          the nearest, a tie up; below 2^-127 it is 2^-127
///   up                  the next above; up to 2^-127 it is 2^-127
///   up_from_field_zero  the next above, subnormals to 2^-126
///   down                the next below; below 2^-127 it is 2^-127
enum class e8m0_rounding : std::uint8_t { nearest_even, nearest_up, up, up_from_field_zero, down };

/// Result of numbers without a logarithm.
///   magnitude          zero is 2^-127, the sign is ignored
///   nan                zero, numbers that round to it, and negative numbers are NaN
///   smallest           the same are 2^-127
enum class e8m0_out_of_domain : std::uint8_t { magnitude, nan, smallest };

/// One conversion; NaN always becomes 255.
struct e8m0_conversion {
  std::string_view name;
  std::string_view source;
  std::string_view doubts;
  e8m0_rounding rounding;
  overflow beyond;             ///< of a finite number that rounds above 2^127: 254 or 255
  std::uint8_t infinity;       ///< code of Inf of either sign
  e8m0_out_of_domain outside;  ///< zero and negative numbers
};

/// Code of a finite magnitude that is not zero; 255 beyond 2^127.
///   bits  its FP32 pattern
[[nodiscard]] MX_HD constexpr std::uint32_t e8m0_code(std::uint32_t bits,
                                                      e8m0_rounding how) noexcept {
  const std::uint32_t field = bits >> 23, fraction = bits & 0x7FFFFF;
  switch (how) {
    case e8m0_rounding::nearest_even:
      return encode(formats::e8m0, unpack(float_of(bits)), rounding::ties_to_even,
                    overflow::to_infinity);
    case e8m0_rounding::nearest_up:
      return field + (fraction > 0x400000 || (fraction == 0x400000 && field > 0) ? 1 : 0);
    case e8m0_rounding::up:
      return field + (fraction > (field == 0 ? 0x400000U : 0U) ? 1 : 0);
    case e8m0_rounding::up_from_field_zero:
      return field + (fraction != 0 ? 1 : 0);
    case e8m0_rounding::down:
      break;
  }
  return field;
}

[[nodiscard]] MX_HD constexpr bool is_outside(const e8m0_conversion& c,
                                              std::uint32_t bits) noexcept {
  const std::uint32_t magnitude = bits & 0x7FFFFFFF;
  const std::uint32_t largest_zero = c.rounding == e8m0_rounding::nearest_even ? 0x2FFFFF : 0;
  return c.outside != e8m0_out_of_domain::magnitude &&
         (magnitude != bits || magnitude <= largest_zero);
}

/// E8M0 code of an FP32 number.
[[nodiscard]] MX_HD constexpr std::uint8_t convert(const e8m0_conversion& c, float x) noexcept {
  const std::uint32_t bits = bits_of(x), magnitude = bits & 0x7FFFFFFF;
  if (magnitude > 0x7F800000) return 255;
  if (magnitude == 0x7F800000) return c.infinity;
  if (is_outside(c, bits)) return c.outside == e8m0_out_of_domain::nan ? 255 : 0;
  if (magnitude == 0) return 0;
  const std::uint32_t code = e8m0_code(magnitude, c.rounding);
  return static_cast<std::uint8_t>(code < 255 || c.beyond == overflow::to_infinity ? code : 254);
}

namespace e8m0_conversions {

inline constexpr std::string_view onnx_source = "onnx/onnx: onnx/numpy_helper.py (to_float8e8m0)";
inline constexpr std::string_view cuda_source =
    "CUDA Toolkit: cuda_fp8.hpp (__nv_cvt_float_to_e8m0); PTX ISA: cvt to ue8m0x2";
inline constexpr std::string_view ml_dtypes_source =
    "jax-ml/ml_dtypes: ml_dtypes/include/float8.h (float8_e8m0fnu)";

inline constexpr std::array table{
    e8m0_conversion{"torch", "pytorch/pytorch: c10/util/Float8_e8m0fnu.h", "",
                    e8m0_rounding::nearest_up, overflow::to_infinity, 255,
                    e8m0_out_of_domain::magnitude},
    e8m0_conversion{"onnx.nearest", onnx_source, "", e8m0_rounding::nearest_up, overflow::saturate,
                    255, e8m0_out_of_domain::magnitude},
    e8m0_conversion{"onnx.nearest-nosat", onnx_source, "", e8m0_rounding::nearest_up,
                    overflow::to_infinity, 255, e8m0_out_of_domain::magnitude},
    e8m0_conversion{"onnx.up", onnx_source, "", e8m0_rounding::up_from_field_zero,
                    overflow::saturate, 255, e8m0_out_of_domain::magnitude},
    e8m0_conversion{"onnx.up-nosat", onnx_source, "", e8m0_rounding::up_from_field_zero,
                    overflow::to_infinity, 255, e8m0_out_of_domain::magnitude},
    e8m0_conversion{"onnx.down", onnx_source, "", e8m0_rounding::down, overflow::saturate, 255,
                    e8m0_out_of_domain::magnitude},
    e8m0_conversion{"ml_dtypes", ml_dtypes_source, "", e8m0_rounding::nearest_up,
                    overflow::to_infinity, 255, e8m0_out_of_domain::nan},
    e8m0_conversion{"ml_dtypes.saturate", ml_dtypes_source,
                    "read, not run: NumPy's casts do not saturate", e8m0_rounding::nearest_up,
                    overflow::saturate, 255, e8m0_out_of_domain::smallest},
    e8m0_conversion{"gfloat", "graphcore-research/gfloat: gfloat/round.py, encode.py", "",
                    e8m0_rounding::nearest_even, overflow::to_infinity, 255,
                    e8m0_out_of_domain::nan},
    e8m0_conversion{"gfloat.saturate", "graphcore-research/gfloat: gfloat/round.py, encode.py", "",
                    e8m0_rounding::nearest_even, overflow::saturate, 254, e8m0_out_of_domain::nan},
    e8m0_conversion{"cuda.down", cuda_source, "", e8m0_rounding::down, overflow::saturate, 254,
                    e8m0_out_of_domain::magnitude},
    e8m0_conversion{"cuda.up", cuda_source, "", e8m0_rounding::up, overflow::saturate, 254,
                    e8m0_out_of_domain::magnitude},
    e8m0_conversion{"cuda.up-nosat", cuda_source, "", e8m0_rounding::up, overflow::to_infinity, 255,
                    e8m0_out_of_domain::magnitude},
    e8m0_conversion{"mlir", "llvm/llvm-project: mlir/lib/Dialect/Arith/Transforms/ExpandOps.cpp",
                    "the expansion of truncf; constant folding rounds to nearest instead",
                    e8m0_rounding::down, overflow::saturate, 255, e8m0_out_of_domain::magnitude}};

}  // namespace e8m0_conversions

/// The number that a scale code decodes to.
///   power              2^(code - 127), NaN for 255
///   zero_for_zero      the same, but +0 for 0
///   shifted            the code as an FP32 exponent field: +0 for 0, Inf for 255
///   saturated          as shifted, and products are clamped to the finite numbers
///   infinite           2^(code - 127), Inf for 255
///   unlimited          2^(code - 127), 2^128 for 255
enum class e8m0_decoding : std::uint8_t {
  power,
  zero_for_zero,
  shifted,
  saturated,
  infinite,
  unlimited
};

/// The scale of code 0 or code 255. Not for unlimited.
[[nodiscard]] MX_HD constexpr float decoded_end(e8m0_decoding how, std::uint8_t code) noexcept {
  const bool field = how == e8m0_decoding::shifted || how == e8m0_decoding::saturated;
  if (code == 0) return field || how == e8m0_decoding::zero_for_zero ? 0.0F : 0x1p-127F;
  return field || how == e8m0_decoding::infinite ? fp32::infinity(false) : fp32::nan;
}

/// Inf replaced by FLT_MAX of its sign.
[[nodiscard]] MX_HD constexpr float clamped_to_finite(float x) noexcept {
  const unpacked value = unpack(x);
  return value.kind == kind::infinite ? float_of(bits_of(x) - 1) : x;
}

/// RNE32(element * scale); Inf, NaN and zero as in IEEE 754.
///   element  zero or finite, NaN or Inf
[[nodiscard]] MX_HD constexpr float decoded(e8m0_decoding how, std::uint8_t code,
                                            float element) noexcept {
  const bool end = (code == 0 || code == 255) && how != e8m0_decoding::unlimited;
  const unpacked value = unpack(element);
  const float product =
      end ? fp32::multiply(element, decoded_end(how, code))
          : (value.is_special() ? element : to_binary32(value.scaled_by_power_of_two(code - 127)));
  return how == e8m0_decoding::saturated ? clamped_to_finite(product) : product;
}

static_assert(convert(e8m0_conversions::table[0], 3.0F) == 129);
static_assert(decoded(e8m0_decoding::power, 0, 1.0F) == 0x1p-127F);
static_assert(decoded(e8m0_decoding::unlimited, 255, 0.5F) == 0x1p127F);

}  // namespace mx
