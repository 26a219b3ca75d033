// SPDX-License-Identifier: Apache-2.0
// tests/unit/presets/four_over_six_ports.h: choice between 6 and 4 in public kernels, restated in
// this machine's FP32 arithmetic, as reference for mx/presets/four_over_six_variants.h.
#pragma once
#include "nvfp4_ports.h"

namespace nvfp4_test {

enum class norm { squares, magnitudes, largest };
enum class domain { decoded, encoded };

inline float with(norm n, float error, float difference) {
  if (n == norm::squares) return error + difference * difference;
  return n == norm::magnitudes ? error + std::fabs(difference)
                               : std::fmax(error, std::fabs(difference));
}

/// Error of 16 elements from `first` on; factor 0 means the decoded domain.
inline float row_error(norm n, const values& x, std::size_t first, const quantized& q,
                       float tensor_amax, float denominator, float factor) {
  float error = 0;
  for (std::size_t i = first; i < first + 16; ++i) {
    const float value = static_cast<float>(element_value(q.codes[i])) * scale_number(q.scale);
    error = with(n, error,
                 factor != 0 ? value - x[i] * factor : value * tensor_amax / denominator - x[i]);
  }
  return error;
}

inline float tree(std::array<float, 16> rows) {
  for (std::size_t half : {8U, 4U, 2U, 1U}) {
    for (std::size_t r = 0; r < half; ++r) rows[r] = rows[r] + rows[r + half];
  }
  return rows[0];
}

inline float block_error(norm n, const values& x, const quantized& q, float tensor_amax,
                         float denominator, float factor) {
  if (x.size() == 16) return row_error(n, x, 0, q, tensor_amax, denominator, factor);
  std::array<float, 16> rows{};
  for (std::size_t r = 0; r < 16; ++r) {
    rows[r] = row_error(n, x, 16 * r, q, tensor_amax, denominator, factor);
  }
  return tree(rows);
}

inline quantized te_4over6(const values& x, float tensor_amax, norm n, float bound, domain d) {
  const float s = te_factor(tensor_amax, bound);
  const float base = block_amax(x) / 6.0F * s;
  const int six = scale_code(std::fmin(base, 448.0F));
  const int four = scale_code(std::fmin(base * 1.5F, 448.0F));
  const quantized by_six = with_multiplier(x, six, te_multiplier(six, s));
  const quantized by_four = with_multiplier(x, four, te_multiplier(four, s));
  const float factor = d == domain::encoded ? s : 0;
  const float of_six = block_error(n, x, by_six, tensor_amax, 6 * bound, factor);
  const float of_four = block_error(n, x, by_four, tensor_amax, 6 * bound, factor);
  return of_four < of_six ? by_four : by_six;
}

/// FlashInfer's callers give the tensor's factor alone; a block of zeros is written before the
/// rest.
inline float flashinfer_error(norm n, const values& x, const quantized& q, float decode) {
  float error = 0;
  for (std::size_t i = 0; i < 16; ++i) {
    const float value = static_cast<float>(element_value(q.codes[i])) * scale_number(q.scale);
    error = with(n, error, value * decode - x[i]);
  }
  return error;
}
inline quantized flashinfer_4over6(const values& x, float tensor_amax, norm n, float bound) {
  if (block_amax(x) == 0) return {0, std::vector<int>(x.size())};
  const float given = std::fmin(bound * 6.0F / tensor_amax, FLT_MAX), s = given == 0 ? 1 : given;
  const float base = block_amax(x) / 6.0F * s;
  const int six = scale_code(base), four = scale_code(base * 1.5F);
  const quantized by_six = with_multiplier(x, six, te_multiplier(six, s));
  const quantized by_four = with_multiplier(x, four, te_multiplier(four, s));
  const float of_six = flashinfer_error(n, x, by_six, 1.0F / s);
  const float of_four = flashinfer_error(n, x, by_four, 1.0F / s);
  return of_four < of_six ? by_four : by_six;
}

inline quantized fouroversix_search(const values& x, float tensor_amax, norm n) {
  const quantized by_six = fouroversix(x, tensor_amax, 6, 256);
  const quantized by_four = fouroversix(x, tensor_amax, 6, 256, 1.5F);
  const float of_six = block_error(n, x, by_six, tensor_amax, 1536, 0);
  const float of_four = block_error(n, x, by_four, tensor_amax, 1536, 0);
  return of_four < of_six ? by_four : by_six;
}

// Pairs of elements by two lanes, 8 elements a thread, two threads.
inline float quartet2_error(const values& x, const quantized& q, float d) {
  const float minus = -(scale_number(q.scale) * d);
  float sum[2][2] = {};
  for (std::size_t i = 0; i < 16; ++i) {
    const float value = static_cast<float>(element_value(q.codes[i]));
    const float difference = std::fma(value, minus, x[i]);
    float& lane = sum[i / 8][i % 2];
    lane = std::fma(difference, difference, lane);
  }
  return (sum[0][0] + sum[0][1]) + (sum[1][0] + sum[1][1]);
}
inline quantized quartet2_four_six(const values& x, float tensor_amax) {
  const float d = quartet2_scale(tensor_amax, 256);
  const quantized by_six = quartet2(x, d, 6), by_four = quartet2(x, d, 4);
  return quartet2_error(x, by_four, d) < quartet2_error(x, by_six, d) ? by_four : by_six;
}

}  // namespace nvfp4_test
