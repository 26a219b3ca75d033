// SPDX-License-Identifier: Apache-2.0
// tests/oracle/cuda_scales_test.cpp: E8M0 scales of the core, and the rule documented in the
// headers, against the host path of CUDA's headers.
// Source: cuda_fp8.h of the CUDA Toolkit, __nv_cvt_bfloat16raw_to_e8m0 and its kin: a magnitude is
// rounded to a power of two toward zero or upward; below 2^-127 it becomes 2^-127; beyond 2^127 it
// becomes 2^127 or NaN; NaN stays NaN.
#include <cuda_fp8.h>

#include <ios>

#include "catch.h"
#include "float_patterns.h"
#include "mx/number/element.h"

namespace {

using mx::overflow;
using mx::rounding;

struct conversion {
  const char* name;
  cudaRoundMode header_rounding;
  __nv_saturation_t header_saturation;
  rounding mode;
  overflow beyond;
};

constexpr conversion conversions[] = {
    {"down, saturating", cudaRoundZero, __NV_SATFINITE, rounding::toward_zero, overflow::saturate},
    {"down", cudaRoundZero, __NV_NOSAT, rounding::toward_zero, overflow::to_infinity},
    {"up, saturating", cudaRoundPosInf, __NV_SATFINITE, rounding::away_from_zero,
     overflow::saturate},
    {"up", cudaRoundPosInf, __NV_NOSAT, rounding::away_from_zero, overflow::to_infinity},
};

/// The documented rule, on the fields of the pattern.
std::uint32_t documented_code(const conversion& c, std::uint32_t pattern) {
  const std::uint32_t magnitude = pattern & 0x7FFFFFFF;
  if (magnitude > 0x7F800000) return 255;
  // 2^-127 is the subnormal with the highest fraction bit alone.
  if (magnitude <= 0x00400000) return 0;
  const bool upward = c.header_rounding == cudaRoundPosInf;
  const std::uint32_t field = magnitude >> 23;
  const std::uint32_t code = field + (upward && (magnitude & 0x7FFFFF) != 0 ? 1 : 0);
  if (code < 255) return code;
  return c.header_saturation == __NV_SATFINITE ? 254 : 255;
}

std::uint32_t core_code(const conversion& c, const mx::unpacked& x) {
  return mx::encode(mx::formats::e8m0, x, c.mode, c.beyond);
}

TEST_CASE("scales_of_fp32_equal_the_headers_and_their_text") {
  for (const conversion& c : conversions) {
    const auto header = [&c](float x) -> std::uint32_t {
      return __nv_cvt_float_to_e8m0(x, c.header_saturation, c.header_rounding);
    };
    const auto bits = oracle::disagreeing_pattern([&](std::uint32_t pattern) {
      const std::uint32_t code = header(mx::float_of(pattern));
      return code == documented_code(c, pattern) &&
             code == core_code(c, mx::unpack(mx::float_of(pattern)));
    });
    if (!bits) continue;
    const float x = mx::float_of(*bits);
    FAIL(c.name << ": FP32 0x" << std::hex << *bits << " gives 0x" << core_code(c, mx::unpack(x))
                << ", the header has 0x" << header(x) << ", its text says 0x"
                << documented_code(c, *bits));
  }
}

TEST_CASE("scales_of_every_bfloat16_equal_the_headers_and_their_text") {
  for (const conversion& c : conversions) {
    for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
      CAPTURE(c.name, bits);
      __nv_bfloat16_raw raw{};
      raw.x = static_cast<std::uint16_t>(bits);
      const std::uint32_t code =
          __nv_cvt_bfloat16raw_to_e8m0(raw, c.header_saturation, c.header_rounding);
      const std::uint32_t ours = core_code(c, mx::decode(mx::formats::bfloat16, bits));
      if (code != documented_code(c, bits << 16) || code != ours) {
        FAIL("the header has " << code << ", the core " << ours);
      }
    }
  }
  SUCCEED("all are equal");
}

TEST_CASE("every_scale_stands_for_the_value_that_the_headers_give_it") {
  for (std::uint32_t code = 0; code < 256; ++code) {
    CAPTURE(code);
    const std::uint32_t bfloat = __nv_cvt_e8m0_to_bf16raw(static_cast<std::uint8_t>(code)).x;
    const mx::unpacked value = mx::decode(mx::formats::e8m0, code);
    if (value.kind == mx::kind::nan) {
      REQUIRE(bfloat == 0x7FFF);
    } else {
      REQUIRE(bfloat == mx::encode(mx::formats::bfloat16, value, rounding::ties_to_even,
                                   overflow::to_infinity));
    }
  }
}

}  // namespace
