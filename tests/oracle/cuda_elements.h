// SPDX-License-Identifier: Apache-2.0
// tests/oracle/cuda_elements.h: element formats in the host path of CUDA's headers.
// Source: cuda_fp4.h, cuda_fp6.h, cuda_fp8.h and their .hpp of the CUDA Toolkit.
#pragma once
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>

#include <cstdint>

#include "mx/number/formats.h"

namespace oracle {

/// One element format: ours, and the headers' functions for it. Null if the headers have none.
struct cuda_element {
  const char* name;
  mx::format format;
  std::uint32_t nan;                        ///< the headers' code for every NaN
  std::uint32_t (*nearest)(float);          ///< ties to even, saturating
  std::uint32_t (*toward_zero)(float);      ///< saturating
  std::uint32_t (*unsaturated)(float);      ///< ties to even, Inf or NaN on overflow
  std::uint32_t (*of_half)(std::uint16_t);  ///< nearest, from the bits of a binary16
  std::uint32_t (*of_bfloat)(std::uint16_t);
  std::uint16_t (*to_half)(std::uint8_t);  ///< the binary16 bits of a code's value
};

inline __half_raw half_of(std::uint16_t bits) {
  __half_raw raw{};
  raw.x = bits;
  return raw;
}
inline __nv_bfloat16_raw bfloat_of(std::uint16_t bits) {
  __nv_bfloat16_raw raw{};
  raw.x = bits;
  return raw;
}

constexpr cuda_element fp4() {
  return {
      "e2m1",
      mx::formats::e2m1,
      0x7,
      [](float x) -> std::uint32_t {
        return __nv_cvt_float_to_fp4(x, __NV_E2M1, cudaRoundNearest);
      },
      [](float x) -> std::uint32_t { return __nv_cvt_float_to_fp4(x, __NV_E2M1, cudaRoundZero); },
      nullptr,
      [](std::uint16_t x) -> std::uint32_t {
        return __nv_cvt_halfraw_to_fp4(half_of(x), __NV_E2M1, cudaRoundNearest);
      },
      [](std::uint16_t x) -> std::uint32_t {
        return __nv_cvt_bfloat16raw_to_fp4(bfloat_of(x), __NV_E2M1, cudaRoundNearest);
      },
      [](std::uint8_t code) -> std::uint16_t {
        return __nv_cvt_fp4_to_halfraw(code, __NV_E2M1).x;
      }};
}

template <__nv_fp6_interpretation_t Kind>
constexpr cuda_element fp6(const char* name, const mx::format& format) {
  return {name,
          format,
          0x1F,
          [](float x) -> std::uint32_t { return __nv_cvt_float_to_fp6(x, Kind, cudaRoundNearest); },
          [](float x) -> std::uint32_t { return __nv_cvt_float_to_fp6(x, Kind, cudaRoundZero); },
          nullptr,
          [](std::uint16_t x) -> std::uint32_t {
            return __nv_cvt_halfraw_to_fp6(half_of(x), Kind, cudaRoundNearest);
          },
          [](std::uint16_t x) -> std::uint32_t {
            return __nv_cvt_bfloat16raw_to_fp6(bfloat_of(x), Kind, cudaRoundNearest);
          },
          [](std::uint8_t code) -> std::uint16_t { return __nv_cvt_fp6_to_halfraw(code, Kind).x; }};
}

template <__nv_fp8_interpretation_t Kind>
constexpr cuda_element fp8(const char* name, const mx::format& format) {
  return {name,
          format,
          0x7F,
          [](float x) -> std::uint32_t { return __nv_cvt_float_to_fp8(x, __NV_SATFINITE, Kind); },
          nullptr,
          [](float x) -> std::uint32_t { return __nv_cvt_float_to_fp8(x, __NV_NOSAT, Kind); },
          [](std::uint16_t x) -> std::uint32_t {
            return __nv_cvt_halfraw_to_fp8(half_of(x), __NV_SATFINITE, Kind);
          },
          [](std::uint16_t x) -> std::uint32_t {
            return __nv_cvt_bfloat16raw_to_fp8(bfloat_of(x), __NV_SATFINITE, Kind);
          },
          [](std::uint8_t code) -> std::uint16_t { return __nv_cvt_fp8_to_halfraw(code, Kind).x; }};
}

inline constexpr cuda_element cuda_elements[] = {
    fp4(),
    fp6<__NV_E2M3>("e2m3", mx::formats::e2m3),
    fp6<__NV_E3M2>("e3m2", mx::formats::e3m2),
    fp8<__NV_E4M3>("e4m3", mx::formats::e4m3),
    fp8<__NV_E5M2>("e5m2", mx::formats::e5m2),
};

}  // namespace oracle
