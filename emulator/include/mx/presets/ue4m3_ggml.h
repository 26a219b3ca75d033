// SPDX-License-Identifier: Apache-2.0
// mx/presets/ue4m3_ggml.h: ggml's own conversion of the scales of its NVFP4 blocks.
// Source: ggml-org/llama.cpp, ggml/src/ggml-impl.h (ggml_fp32_to_ue4m3, ggml_ue4m3_to_fp32).
#pragma once
#include "mx/number/fp32.h"

namespace mx::ggml {

/// Scale code of a number.
///   not positive, NaN  0
///   below 2^-6         the whole part of RNE32(512 x + 1/2), at most 7: no carry into the normals
///   else               nearest by the highest truncated bit alone: ties away; 0x7E from 248 on
[[nodiscard]] MX_HD constexpr std::uint32_t ue4m3_code(float x) noexcept {
  const std::uint32_t bits = bits_of(x);
  const bool positive = bits - 1 < formats::binary32.infinity_code();
  if (!positive) return 0;
  const int field = static_cast<int>(bits >> 23) - formats::binary32.bias + formats::ue4m3.bias;
  if (field > 14) return formats::ue4m3.max_code();
  if (field < 1) {
    const unpacked steps = unpack(fp32::add(fp32::multiply(x, 512.0F), 0.5F));  // in [1/2, 8.5]
    const auto whole = static_cast<std::uint32_t>(steps.significand >> -steps.exponent);
    return whole > 7 ? 7 : whole;
  }
  const std::uint32_t cut = static_cast<std::uint32_t>(field) << 3 | (bits >> 20 & 7);
  const std::uint32_t code = cut + (bits >> 19 & 1);
  return code >= 0x78 ? formats::ue4m3.max_code() : code;
}

/// Half the value of a scale code; the code 0x7F is zero, and bit 7 is ignored unless the other
/// bits are 0x7F: then it is 240.
[[nodiscard]] MX_HD constexpr float half_of_ue4m3(std::uint32_t code) noexcept {
  if (code == 0x7F) return 0.0F;
  if ((code & 0x7F) == 0x7F) return 240.0F;
  constexpr format f = formats::ue4m3;
  return to_binary32(decode(f, code & 0x7F).scaled_by_power_of_two(-1));
}

static_assert(ue4m3_code(1.0625F) == 0x39 && ue4m3_code(1.1875F) == 0x3A);
static_assert(ue4m3_code(247.99F) == 0x77 && ue4m3_code(248.0F) == 0x7E);
static_assert(ue4m3_code(0x1p-10F) == 1 && ue4m3_code(0x1.ep-7F) == 7);
static_assert(half_of_ue4m3(0x38) == 0.5F && half_of_ue4m3(0x7E) == 224.0F);

}  // namespace mx::ggml
