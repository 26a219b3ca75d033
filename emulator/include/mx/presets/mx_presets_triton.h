// SPDX-License-Identifier: Apache-2.0
// mx/presets/mx_presets_triton.h: presets of quantizers written in Triton, and of their copies.
// Source: of each preset in its `source`.
#pragma once
#include "mx/presets/mx_presets_torch.h"

namespace mx::mx_presets {

/// Three generations: ties away; ties to even with lost bits; ties to even.
[[nodiscard]] constexpr mx_variant triton(std::string_view name, scale_operand operand,
                                          exponent_rule exponent, element_conversion element,
                                          std::span<const block_format> formats,
                                          e8m0_decoding decoding) {
  element.nan = nan_element::signed_all_ones;
  const bool up = exponent == exponent_rule::field_up;
  return {
      .about =
          {name,
           "triton-lang/triton: python/triton_kernels/triton_kernels/numerics_details/"
           "mxfp_details/_downcast_to_mxfp.py, mxfp.py",
           "the PyTorch reference: on a GPU amax skips NaN, division is within 2 ULP, "
           "subnormals may be flushed, and sm_100 converts by PTX (NaN is +6); the sign of a NaN "
           "that a product makes is the processor's",
           evidence::run, formats},
      .operand = operand,
      .exponent = exponent,
      .nan = up ? special_scale::smallest : special_scale::nan,
      .factor = element_factor::zero,
      .element = element,
      .decoding = decoding};
}

inline constexpr element_conversion triton_0{.rounding = rounding::ties_away};
inline constexpr element_conversion triton_1{.method = element_method::cut_below_one};

/// Quark's copy of Triton's first generation, with a mode of its own.
[[nodiscard]] constexpr mx_variant quark(std::string_view name, scale_operand operand,
                                         exponent_rule exponent) {
  mx_variant v =
      triton(name, operand, exponent, triton_0, covered::fp4, e8m0_decoding::zero_for_zero);
  v.about.source = "amd/Quark: quark/torch/kernel/mx/triton.py";
  v.about.doubts =
      "half precision input only; read for IEEE division and exact log2 and exp2 of powers of two; "
      "amax may skip NaN; the HIP emulation computes in half precision instead, and is not this";
  v.about.rests_on = evidence::read;
  return v;
}

[[nodiscard]] constexpr mx_variant quark_even() {
  mx_variant v = quark("quark.even", scale_operand::amax_rounded, exponent_rule::field);
  v.infinite = special_scale::largest;
  v.nan = special_scale::largest;
  v.factor = element_factor::power;
  return v;
}

[[nodiscard]] constexpr mx_variant aiter(std::string_view name, scale_operand operand,
                                         exponent_rule exponent) {
  return {.about = {name, "ROCm/aiter: aiter/utility/fp4_utils.py (f32_to_mx_e8m0_scale)",
                    "the PyTorch reference; hardware conversions on gfx950 were not seen",
                    evidence::run, covered::fp4},
          .operand = operand,
          .exponent = exponent,
          .element = torchao_element};
}

/// The kernel's logarithm of Inf is clamped: 254 where the reference has 255.
[[nodiscard]] constexpr mx_variant aiter_even() {
  mx_variant v = aiter("aiter.even", scale_operand::amax_rounded, exponent_rule::field);
  v.about.source = "ROCm/aiter: aiter/ops/triton/_triton_kernels/quant (_mxfp4_quant_op)";
  v.about.doubts = "read for exact log2 and exp2 of powers of two; amax may skip NaN";
  v.infinite = special_scale::largest;
  v.nan = special_scale::largest;
  return v;
}

inline constexpr mx_variant triton_table[] = {
    triton("triton.v0.up", scale_operand::over_max, exponent_rule::field_up, triton_0, covered::fp4,
           e8m0_decoding::zero_for_zero),
    triton("triton.v0.down", scale_operand::over_max, exponent_rule::field, triton_0, covered::fp4,
           e8m0_decoding::zero_for_zero),
    triton("triton.v1.up", scale_operand::over_max, exponent_rule::field_up, triton_1, covered::fp4,
           e8m0_decoding::zero_for_zero),
    triton("triton.v1.down", scale_operand::over_max, exponent_rule::field, triton_1, covered::fp4,
           e8m0_decoding::zero_for_zero),
    triton("triton.v2.up", scale_operand::over_max, exponent_rule::field_up, {},
           covered::fp4_and_fp8, e8m0_decoding::power),
    triton("triton.v2.down", scale_operand::over_power, exponent_rule::field, {},
           covered::fp4_and_fp8, e8m0_decoding::power),
    quark("quark.up", scale_operand::over_max, exponent_rule::field_up),
    quark("quark.down", scale_operand::over_max, exponent_rule::field),
    quark_even(),
    aiter("aiter.floor", scale_operand::over_power, exponent_rule::field),
    aiter("aiter.ceil", scale_operand::over_power, exponent_rule::field_up),
    aiter_even(),
    aiter("aiter.rceil", scale_operand::over_max, exponent_rule::field_up)};

}  // namespace mx::mx_presets
