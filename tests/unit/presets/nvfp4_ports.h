// SPDX-License-Identifier: Apache-2.0
// tests/unit/presets/nvfp4_ports.h: a block's operations in public kernels, restated in this
// machine's FP32 arithmetic with conversions by search for the nearest code, as reference for
// mx/presets/nvfp4_presets.h.
#pragma once
#include <algorithm>
#include <cfloat>

#include "nvfp4_blocks.h"

namespace nvfp4_test {

inline double scale_value(int code) {
  if (code == 0x7F) return std::numeric_limits<double>::quiet_NaN();
  return code < 8 ? code * 0x1p-9 : std::ldexp(8 + code % 8, code / 8 - 10);
}
inline double element_value(int code) {
  constexpr double grid[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  return code < 8 ? grid[code] : -grid[code - 8];
}

/// The nearest of the codes 0 to last, the even one of two; NaN is `of_nan`.
template <class Value>
int nearest_code(double x, int last, int of_nan, Value value) {
  if (std::isnan(x)) return of_nan;
  int code = 0;
  while (code < last && x > value(code)) ++code;  // value(code - 1) < x <= value(code)
  if (code == 0) return 0;
  const double below = x - value(code - 1), above = value(code) - x;
  return below < above || (below == above && code % 2 == 1) ? code - 1 : code;
}
inline int scale_code(float x) { return nearest_code(x, 0x7E, 0x7F, scale_value); }
inline float scale_number(int code) { return static_cast<float>(scale_value(code)); }
/// As in PTX, where NaN is 7.
inline int element_code(float x, int of_nan = 7) {
  if (std::isnan(x)) return of_nan;
  const int code = nearest_code(std::fabs(x), 7, 7, element_value);
  return std::signbit(x) ? code + 8 : code;
}

/// The result of fmaxf over a block.
inline float block_amax(const values& x) {
  float amax = 0;
  for (const float v : x) amax = std::fmax(amax, std::fabs(v));
  return amax;
}

inline quantized with_multiplier(const values& x, int scale, float multiplier, int of_nan = 7) {
  quantized result{scale, {}};
  for (const float v : x) result.codes.push_back(element_code(v * multiplier, of_nan));
  return result;
}

inline float te_factor(float tensor_amax, float bound = 448) {
  const float s = std::fmin(bound * 6.0F / tensor_amax, FLT_MAX);
  return tensor_amax == 0 || s == 0 ? 1 : s;
}
inline float te_multiplier(int scale, float factor) {
  return std::fmin(1.0F / (scale_number(scale) * (1.0F / factor)), FLT_MAX);
}
inline quantized te(const values& x, float tensor_amax) {
  const float s = te_factor(tensor_amax);
  const int scale = scale_code(std::fmin(block_amax(x) * (s * (1.0F / 6.0F)), FLT_MAX));
  return with_multiplier(x, scale, te_multiplier(scale, s));
}

inline quantized te_fast_math(const values& x, float tensor_amax) {
  const float s = te_factor(tensor_amax);
  const int scale = scale_code(std::fmin(block_amax(x) * (s * (1.0F / 6.0F)), FLT_MAX));
  const float wide = std::fmin(s / scale_number(scale), 0x1.fep127F);
  std::uint32_t bits = mx::bits_of(wide);
  bits += 0x7FFF + (bits >> 16 & 1);
  const float multiplier = mx::float_of(bits & 0xFFFF0000);
  quantized result{scale, {}};
  for (const float v : x) result.codes.push_back(element_code(std::fma(v, multiplier, 0.0F)));
  return result;
}

inline quantized torchao(const values& x, float tensor_amax) {
  const float p = tensor_amax / 2688.0F;
  const float number = block_amax(x) / 6.0F / p;  // NaN for a tensor of zeros
  const int scale = scale_code(std::clamp(number, 0x1p-6F, 448.0F));
  return with_multiplier(x, scale, 1.0F / p / scale_number(scale), 4);
}
inline quantized torchao_single_level(const values& x, float) {
  const int scale = scale_code(std::clamp(block_amax(x) / 6.0F, 0x1p-6F, 448.0F));
  return with_multiplier(x, scale, 1.0F / scale_number(scale));
}
inline quantized torchao_training_0_18(const values& x, float tensor_amax) {
  const float s = te_factor(tensor_amax);
  const int scale = scale_code(std::clamp(block_amax(x) / 6.0F * s, 0x1p-6F, 448.0F));
  return with_multiplier(x, scale, te_multiplier(scale, s));
}

inline quantized flashinfer(const values& x, float tensor_amax) {
  const float s = 2688.0F / tensor_amax, amax = block_amax(x);
  const int scale = scale_code(amax != 0 ? amax * (s * (1.0F / 6.0F)) : 0.0F);
  const float m = amax != 0 ? 1.0F / (scale_number(scale) * (1.0F / s)) : 0.0F;
  return with_multiplier(x, scale, m);
}
/// 1 / a with subnormals flushed on both sides.
inline float flushing_reciprocal(float a) {
  const float r = 1.0F / (std::fabs(a) < FLT_MIN ? 0.0F : a);
  return std::fabs(r) < FLT_MIN ? 0.0F : r;
}
enum class decides { amax, scale };
template <decides What>
quantized approximate(const values& x, float tensor_amax) {
  const float s = 2688.0F / tensor_amax, amax = block_amax(x);
  const int scale = scale_code(s * (amax * flushing_reciprocal(6)));
  const bool multiplies = What == decides::amax ? amax != 0 : scale != 0;
  const float product = scale_number(scale) * flushing_reciprocal(s);
  return with_multiplier(x, scale, multiplies ? flushing_reciprocal(product) : 0.0F);
}

inline quantized triton(const values& x, float) {
  const int scale = scale_code(block_amax(x) / 6.0F);
  return with_multiplier(x, scale, scale == 0 ? 0.0F : 1.0F / scale_number(scale));
}

inline quantized ggml(const values& x, float) {
  constexpr float doubled[] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};
  float amax = 0;
  for (const float v : x) {
    if (amax < std::fabs(v)) amax = std::fabs(v);
  }
  quantized result{static_cast<int>(mx::ggml::ue4m3_code(amax / 6.0F)), {}};
  const float d = scale_number(result.scale) * 0.5F;
  for (const float v : x) {
    int best = 0;
    for (int i = 1; i < 16; ++i) {
      if (std::fabs(doubled[i] * d - v) < std::fabs(doubled[best] * d - v)) best = i;
    }
    result.codes.push_back(best);
  }
  return result;
}

inline quantized universal(const values& x, float tensor_amax) {
  const float p = tensor_amax / 2688.0F;
  values divided = x;
  for (float& v : divided) v = p == 0 ? 0.0F : v / p;
  float amax = 0;
  for (const float v : divided) {
    if (std::fabs(v) > amax) amax = std::fabs(v);
  }
  if (amax == 0) return {0, std::vector<int>(x.size())};
  const int scale = std::max(scale_code(amax / 6.0F), 1);
  quantized result = with_multiplier(divided, scale, 1.0F / scale_number(scale));
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (std::isnan(x[i])) result.codes[i] = 0;
  }
  return result;
}

/// The static rules; max is 6 or 4.
inline quantized fouroversix(const values& x, float tensor_amax, float max, float bound,
                             float expansion = 1) {
  const float s = max * bound / tensor_amax;
  const float number = block_amax(x) / max * s;
  const int scale = scale_code((std::isnan(number) ? 0.0F : number) * expansion);
  if (scale == 0) return {0, std::vector<int>(x.size())};
  return with_multiplier(x, scale, 1.0F / (1.0F / s * scale_number(scale)));
}

/// Quartet II's candidate for max at a tensor scale d.
inline quantized quartet2(const values& x, float d, float max) {
  const int scale = scale_code(block_amax(x) / max / d);
  const float number = scale == 0 ? 1.0F : scale_number(scale);
  return with_multiplier(x, scale, 1.0F / (number * d));
}
inline float quartet2_scale(float tensor_amax, float bound) {
  return tensor_amax == 0 ? 1 : tensor_amax / bound / 6.0F;
}

}  // namespace nvfp4_test
