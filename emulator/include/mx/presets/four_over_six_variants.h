// SPDX-License-Identifier: Apache-2.0
// mx/presets/four_over_six_variants.h: how kernels choose between mapping a block's largest element
// to 6 and to 4, as FP32 operations in order.
// Source: NVIDIA/TransformerEngine, common/cast/nvfp4/quantize_4over6_nvfp4.cuh and
// pytorch/custom_recipes/reference_nvfp4.py; mit-han-lab/fouroversix, quantize/pytorch/reference.py
// and kernels/triton/quantize.py; IST-DASLab/Quartet-II, kernels/csrc/round_four_six.cu;
// flashinfer-ai/flashinfer, tests/test_helpers/utils_fp4.py (ref_fp4_quant_4over6_te) and
// csrc/nv_internal/tensorrt_llm/kernels/quantization_utils.cuh (cvt_warp_fp16_to_fp4).
#pragma once
#include "mx/presets/nvfp4_variant.h"

namespace mx {

/// The value of an element code times the value of a scale code: exact, six significand bits.
[[nodiscard]] MX_HD constexpr float scaled_code(std::uint32_t element,
                                                std::uint32_t scale) noexcept {
  return fp32::multiply(element_number(element), scale_number(scale));
}

/// The decoded value of a code minus x.
[[nodiscard]] MX_HD constexpr float difference_of(const nvfp4_variant& v, float x,
                                                  const nvfp4_candidate& candidate,
                                                  const nvfp4_tensor& tensor) noexcept {
  const std::uint32_t code = element_code(v, x, candidate, tensor);
  const float exact = scaled_code(code, candidate.scale);
  switch (v.search.difference) {
    case candidate_difference::rescaled:
      return fp32::subtract(fp32::multiply(exact, decoding_factor(v, tensor)), x);
    case candidate_difference::encoded:
      return fp32::subtract(exact, fp32::multiply(x, tensor.factor));
    case candidate_difference::fused: {
      const float scale = scale_number(candidate.scale);
      const float factor = fp32::multiply(fp32::multiply(scale, tensor.factor), -1.0F);
      return fp32::fused_multiply_add(element_number(code), factor, x);
    }
    case candidate_difference::decoded:
      break;
  }
  const float denominator = reach_of(v.order, v.order.bound);
  const float value = fp32::divide(fp32::multiply(exact, tensor.amax), denominator);
  return fp32::subtract(value, x);
}

/// The accumulated error plus one more difference.
[[nodiscard]] MX_HD constexpr float with_difference(const nvfp4_search& search, float error,
                                                    float difference) noexcept {
  const float size = fp32::magnitude(difference);
  switch (search.norm) {
    case candidate_norm::squares:
      return search.difference == candidate_difference::fused
                 ? fp32::fused_multiply_add(difference, difference, error)
                 : fp32::add(error, fp32::multiply(difference, difference));
    case candidate_norm::magnitudes:
      return fp32::add(error, size);
    case candidate_norm::largest:
    case candidate_norm::none:
      break;
  }
  // The larger; NaN wins.
  return fp32::is_nan(error) || bits_of(error) > bits_of(size) ? error : size;
}

/// Error of 16 elements of a row. Sums run in ascending order, except that the fused ones add even
/// and odd elements of each half separately: (even + odd) of one half + the same of the other.
[[nodiscard]] MX_HD constexpr float row_error(const nvfp4_variant& v, const float* x,
                                              const nvfp4_candidate& candidate,
                                              const nvfp4_tensor& tensor) noexcept {
  const bool fused = v.search.difference == candidate_difference::fused;
  float part[4] = {};
  for (int i = 0; i < 16; ++i) {
    float& sum = part[fused ? i / 8 * 2 + i % 2 : 0];
    sum = with_difference(v.search, sum, difference_of(v, x[i], candidate, tensor));
  }
  if (!fused) return part[0];
  return fp32::add(fp32::add(part[0], part[1]), fp32::add(part[2], part[3]));
}

/// Error of a block of one row or of 16; the rows' errors are added as a tree: row r and row r + 8,
/// then r and r + 4, r and r + 2, r and r + 1.
[[nodiscard]] MX_HD constexpr float error_of(const nvfp4_variant& v, const float* x, int rows,
                                             const nvfp4_candidate& candidate,
                                             const nvfp4_tensor& tensor) noexcept {
  float error[16] = {};
  for (int r = 0; r < rows; ++r) error[r] = row_error(v, x + 16 * r, candidate, tensor);
  for (int half = rows / 2; half > 0; half /= 2) {
    for (int r = 0; r < half; ++r) {
      error[r] = v.search.norm == candidate_norm::largest
                     ? with_difference(v.search, error[r], error[r + half])
                     : fp32::add(error[r], error[r + half]);
    }
  }
  return error[0];
}

/// Whether a block maps its largest element to 4: only if that errs less, which an error of NaN
/// never does.
[[nodiscard]] MX_HD constexpr bool prefers_four(const nvfp4_variant& v, const float* x, int rows,
                                                const nvfp4_candidate& six,
                                                const nvfp4_candidate& four,
                                                const nvfp4_tensor& tensor) noexcept {
  const float of_six = error_of(v, x, rows, six, tensor);
  const float of_four = error_of(v, x, rows, four, tensor);
  const bool comparable = !fp32::is_nan(of_six) && !fp32::is_nan(of_four);
  return comparable && bits_of(of_four) < bits_of(of_six);
}

}  // namespace mx
