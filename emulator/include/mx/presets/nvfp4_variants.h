// SPDX-License-Identifier: Apache-2.0
// mx/presets/nvfp4_variants.h: NVFP4 quantizers of public kernels: the quantizer of a block, the
// table of presets.
// Source: of each preset in its `source`, with its evidence and doubts.
#pragma once
#include <array>

#include "mx/presets/four_over_six_variants.h"
#include "mx/presets/nvfp4_presets.h"

namespace mx {

/// The candidate whose scale encodes a number.
[[nodiscard]] MX_HD constexpr nvfp4_candidate candidate_of(const nvfp4_variant& v, float number,
                                                           float amax,
                                                           const nvfp4_tensor& tensor) noexcept {
  const std::uint32_t code = encoded_scale(v.order.scale, number);
  return {code, multiplier_of(v.order, code, amax, tensor.factor)};
}

/// The candidate chosen for a block.
[[nodiscard]] MX_HD constexpr nvfp4_candidate chosen_candidate(
    const nvfp4_variant& v, const float* x, const nvfp4_tensor& tensor) noexcept {
  const float amax = amax_of(v, x, v.size());
  const float number = block_scale_of(v.order, amax, tensor.factor, reach_of(v.order, 1.0F));
  const nvfp4_candidate six = candidate_of(v, number, amax, tensor);
  if (v.search.norm == candidate_norm::none) return six;
  const float number_of_four = v.search.four == four_scale::one_and_a_half
                                   ? fp32::multiply(number, 1.5F)
                                   : block_scale_of(v.order, amax, tensor.factor, 4.0F);
  const nvfp4_candidate four = candidate_of(v, number_of_four, amax, tensor);
  return prefers_four(v, x, v.rows, six, four, tensor) ? four : six;
}

/// Whether a preset rounds stochastically, by 8 random bits an element.
[[nodiscard]] MX_HD constexpr bool draws_bits(const nvfp4_variant& v) noexcept {
  return v.element.rounding == rounding::stochastic;
}

/// Scale and codes of one block.
///   x        v.size() values, row-major in a tile, zeros where the tensor ends
///   random   of a stochastic preset, which has a single candidate: 8 bits an element; null is all
///            zeros, which truncates
///   codes    receives as many codes as values
///   returns  the code of the scale
MX_HD constexpr std::uint8_t quantize_block(const nvfp4_variant& v, const float* x,
                                            const nvfp4_tensor& tensor, const std::uint8_t* random,
                                            std::uint8_t* codes) noexcept {
  const nvfp4_candidate chosen = chosen_candidate(v, x, tensor);
  const bool drawn = draws_bits(v);
  for (int i = 0; i < v.size(); ++i) {
    const std::uint32_t bits = random == nullptr ? 0 : random[i];
    const std::uint32_t code =
        drawn ? element_code(v, x[i], chosen, tensor, bits) : element_code(v, x[i], chosen, tensor);
    codes[i] = static_cast<std::uint8_t>(code);
  }
  return static_cast<std::uint8_t>(chosen.scale);
}

/// The same without random bits.
MX_HD constexpr std::uint8_t quantize_block(const nvfp4_variant& v, const float* x,
                                            const nvfp4_tensor& tensor,
                                            std::uint8_t* codes) noexcept {
  return quantize_block(v, x, tensor, nullptr, codes);
}

/// The value of a code, in the kernel's order of operations.
[[nodiscard]] MX_HD constexpr float dequantize_element(const nvfp4_variant& v, std::uint32_t code,
                                                       std::uint32_t scale,
                                                       const nvfp4_tensor& tensor) noexcept {
  if (v.decoding == decode_order::ggml) {
    const float doubled = fp32::multiply(element_number(code), 2.0F);
    return fp32::multiply(fp32::is_zero(doubled) ? 0.0F : doubled, ggml::half_of_ue4m3(scale));
  }
  const float q = element_number(code);
  const float s = scale_number(scale);
  const float product = reach_of(v.order, v.order.bound);
  switch (v.decoding) {
    case decode_order::amax_folded: {
      const float scaled = fp32::multiply(s, tensor.amax);
      return fp32::multiply(q, fp32::multiply(scaled, fp32::divide(1.0F, product)));
    }
    case decode_order::amax_divided:
      return fp32::divide(fp32::multiply(fp32::multiply(q, s), tensor.amax), product);
    case decode_order::scale_last:
      return fp32::multiply(fp32::multiply(q, s), decoding_factor(v, tensor));
    case decode_order::scale_first:
    case decode_order::ggml:
      break;
  }
  return fp32::multiply(q, fp32::multiply(s, decoding_factor(v, tensor)));
}

namespace nvfp4_presets {

inline constexpr std::array all{
    te_nvfp4,
    te_nvfp4_reference,
    te_nvfp4_2d,
    te_nvfp4_row_scaled,
    te_nvfp4_fast_math,
    te_4over6("te.4over6-mae", te_divided, per_tensor, by_magnitudes),
    te_4over6("te.4over6-mae-256", te_divided_256, of_256, by_magnitudes),
    te_4over6("te.4over6-mse", te_divided, per_tensor, by_squares),
    te_4over6("te.4over6-mse-256", te_divided_256, of_256, by_squares),
    te_4over6("te.4over6-mae-fast", te_divided, per_tensor, by_encoded_magnitudes),
    te_4over6("te.4over6-mse-fast", te_divided, per_tensor, by_encoded_squares),
    te_4over6("te.4over6-mae-2d", te_divided, in_tiles, by_magnitudes),
    te_4over6("te.4over6-mse-2d", te_divided, in_tiles, by_squares),
    torchao_nvfp4,
    torchao_nvfp4_single_level,
    torchao_nvfp4_training,
    torchao_nvfp4_training_0_18,
    flashinfer_nvfp4,
    flashinfer_nvfp4_fast,
    flashinfer_4over6("flashinfer.4over6-mae", 448.0F, per_tensor, by_rescaled_magnitudes),
    flashinfer_4over6("flashinfer.4over6-mae-256", 256.0F, of_256, by_rescaled_magnitudes),
    flashinfer_4over6("flashinfer.4over6-mse", 448.0F, per_tensor, by_rescaled_squares),
    flashinfer_4over6("flashinfer.4over6-mse-256", 256.0F, of_256, by_rescaled_squares),
    trtllm_nvfp4,
    vllm_nvfp4,
    triton_nvfp4,
    triton_nvfp4_reference,
    ggml_nvfp4,
    universal_nvfp4,
    fouroversix("fouroversix.nvfp4-static-6", 6.0F, 448.0F, per_tensor, {}),
    fouroversix("fouroversix.nvfp4-static-4", 4.0F, 448.0F, per_tensor, {}),
    fouroversix("fouroversix.nvfp4-mse", 6.0F, 256.0F, of_256, by_squares),
    fouroversix("fouroversix.nvfp4-mae", 6.0F, 256.0F, of_256, by_magnitudes),
    fouroversix("fouroversix.nvfp4-abs-max", 6.0F, 256.0F, of_256, by_largest),
    te_nvfp4_stochastic,
    fouroversix_stochastic("fouroversix.nvfp4-static-6-stochastic", headroom::none),
    fouroversix_stochastic("fouroversix.nvfp4-static-6-unbiased", headroom::sixteen_seventeenths),
    quartet2("quartet2.nvfp4", 448.0F, per_tensor, candidate_norm::none),
    quartet2("quartet2.nvfp4-four-six", 256.0F, of_256, candidate_norm::squares),
};

}  // namespace nvfp4_presets

}  // namespace mx
