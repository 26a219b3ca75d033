// SPDX-License-Identifier: Apache-2.0
// kernels/template/mxfp4_block.h: MXFP4 by the rule floor, block by block and element by element,
// for the host (C99) and for devices (nvcc).
// Source: OCP MX v1.0, "Conversion to MX-compliant format".
#ifndef MXFP4_BLOCK_H
#define MXFP4_BLOCK_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#ifdef __CUDACC__
#define ON_BOTH static inline __host__ __device__
#else
#define ON_BOTH static inline
#endif

enum { block_size = 32, scale_nan = 0xFF };

ON_BOTH uint32_t bits_of(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

ON_BOTH float float_of(uint32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/// 2^(biased - 127), subnormal for 0.
ON_BOTH float power_of_two(int biased) {
  return float_of(biased == 0 ? 0x00400000 : (uint32_t)biased << 23);
}

/// The code of floor(log2(amax)) - 2, at least that of 2^-127; NaN for Inf and NaN.
///   amax_bits  the largest bits without a sign: those of NaN are above those of Inf
ON_BOTH int scale_of(uint32_t amax_bits) {
  const int biased = (int)(amax_bits >> 23);
  if (biased == 255) return scale_nan;
  return biased > 2 ? biased - 2 : 0;
}

/// The E2M1 code of a scaled number, ties to even.
ON_BOTH int e2m1_of(float x) {
  const float y = float_of(bits_of(x) & 0x7FFFFFFF);
  const int code = (y > 0.25f) + (y >= 0.75f) + (y > 1.25f) + (y >= 1.75f) + (y > 2.5f) +
                   (y >= 3.5f) + (y > 5.0f);
  return (int)(bits_of(x) >> 31 << 3) | code;
}

/// The value of an E2M1 code.
ON_BOTH float value_of(int code) {
  const int exponent = code >> 1 & 3, fraction = code & 1;
  const float value = exponent == 0
                          ? 0.5f * (float)fraction
                          : (1.0f + 0.5f * (float)fraction) * (float)(1 << (exponent - 1));
  return (code & 8) != 0 ? -value : value;
}

/// Quantizes `count` numbers, at most 32; the rest of the block is padded with zero codes.
///   codes  16 bytes
ON_BOTH void quantize_block(const float* x, int count, uint8_t* codes, uint8_t* scale) {
  uint32_t amax = 0;
  for (int i = 0; i < count; ++i) {
    const uint32_t magnitude = bits_of(x[i]) & 0x7FFFFFFF;
    if (magnitude > amax) amax = magnitude;
  }
  const int biased = scale_of(amax);
  *scale = (uint8_t)biased;
  // The product is exact where it decides: only far below 0.25 is it subnormal.
  const float factor = biased == scale_nan ? 0 : power_of_two(254 - biased);
  for (int i = 0; i < block_size; i += 2) {
    const int first = i < count && biased != scale_nan ? e2m1_of(x[i] * factor) : 0;
    const int second = i + 1 < count && biased != scale_nan ? e2m1_of(x[i + 1] * factor) : 0;
    codes[i / 2] = (uint8_t)(first | second << 4);
  }
}

/// The code at a place of a line with two codes a byte.
ON_BOTH int code_at(const uint8_t* line, int64_t place) {
  return line[place / 2] >> (place % 2 * 4) & 15;
}

/// An element of a line of codes and of their scales. A NaN has the bits 0x7FC00000.
ON_BOTH float element_at(const uint8_t* codes, const uint8_t* scales, int64_t place) {
  const int biased = scales[place / block_size];
  if (biased == scale_nan) return float_of(0x7FC00000);
  return value_of(code_at(codes, place)) * power_of_two(biased);
}

/// The sum of a row of A, a row of B and a number of C: a fused multiply-add a product, in the
/// order of k. A NaN has the bits 0x7FC00000.
ON_BOTH float dot_of(const uint8_t* a, const uint8_t* a_scales, const uint8_t* b,
                     const uint8_t* b_scales, int64_t k, float sum) {
  for (int64_t i = 0; i < k; ++i) {
    sum = fmaf(element_at(a, a_scales, i), element_at(b, b_scales, i), sum);
  }
  return isnan(sum) ? float_of(0x7FC00000) : sum;
}

#endif
