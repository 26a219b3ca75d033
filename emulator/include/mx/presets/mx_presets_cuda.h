// SPDX-License-Identifier: Apache-2.0
// mx/presets/mx_presets_cuda.h: presets of quantizers written in CUDA.
// Source: of each preset in its `source`.
#pragma once
#include "mx/presets/mx_presets_torch.h"

namespace mx::mx_presets {

/// PTX conversions throughout.
[[nodiscard]] constexpr mx_variant transformer_engine(std::string_view name, element_factor factor,
                                                      std::string_view doubts) {
  return {.about = {name,
                    "NVIDIA/TransformerEngine: transformer_engine/common/cast/mxfp8, "
                    "common/util/ptx.cuh (float_to_e8m0, exp2f_rcp)",
                    doubts, evidence::run, covered::fp8},
          .operand = scale_operand::times_reciprocal,
          .exponent = exponent_rule::convert_up,
          .amax = amax_nan::ignored,
          .infinite = special_scale::largest,
          .factor = factor};
}

[[nodiscard]] constexpr mx_variant flashinfer() {
  return {.about = {"flashinfer.ue8m0",
                    "flashinfer-ai/flashinfer: csrc/nv_internal/tensorrt_llm/kernels/"
                    "quantization_utils.cuh; NVIDIA/TensorRT-LLM: cpp/tensorrt_llm/kernels/"
                    "quantization.cuh",
                    "1/6 is rcp.approx.ftz, here RNE32(1/6); exp2f is taken for exact",
                    evidence::read, covered::fp4},
          .operand = scale_operand::times_reciprocal,
          .exponent = exponent_rule::convert_up,
          .amax = amax_nan::only_all,
          .infinite = special_scale::largest,
          .factor = element_factor::one_open};
}

[[nodiscard]] constexpr mx_variant vllm_old() {
  return {
      .about = {"vllm.ue8m0-old",
                "vllm-project/vllm: csrc/quantization/fp4/nvfp4_utils.cuh (UE8M0_SF), before "
                "its rule became even",
                "1/6 is rcp.approx.ftz, here RNE32(1/6); reciprocals of powers of two are taken "
                "for exact",
                evidence::read, covered::fp4},
      .operand = scale_operand::times_reciprocal,
      .amax = amax_nan::only_all,
      .factor = element_factor::zero};
}

[[nodiscard]] constexpr mx_variant vllm() {
  return {
      .about = {"vllm.ue8m0", "vllm-project/vllm: csrc/quantization/fp4/nvfp4_utils.cuh (UE8M0_SF)",
                "seen in a copy of the file", evidence::one_source, covered::fp4},
      .operand = scale_operand::amax_rounded,
      .amax = amax_nan::only_all,
      .infinite = special_scale::exponent,
      .nan = special_scale::exponent,
      .factor = element_factor::zero};
}

[[nodiscard]] constexpr mx_variant qutlass_absmax() {
  return {
      .about = {"qutlass.absmax",
                "IST-DASLab/qutlass: the MX epilogue of its quantizing GEMM, "
                "tests/mxfp4_test.py",
                "of values after the rotation, which is a GEMM; decoders multiply by 1/3 beside "
                "the scale; division is taken for IEEE's",
                evidence::read, covered::fp4},
      .operand = scale_operand::offset,
      .amax = amax_nan::ignored,
      .zero = zero_scale::offset,
      .factor = element_factor::triple};
}

[[nodiscard]] constexpr mx_variant qutlass_quest() {
  return {
      .about = {"qutlass.quest",
                "IST-DASLab/qutlass: the MX epilogue of its quantizing GEMM, "
                "tests/mxfp4_test.py",
                "of values after the rotation; the kernel sums in FP32, contracted or not, and "
                "adds 1e-8: a block whose deviation is within its rounding errors of a power of "
                "two may differ by one, and so may tiny ones",
                evidence::read, covered::fp4},
      .operand = scale_operand::deviation,
      .infinite = special_scale::one,
      .nan = special_scale::one,
      .zero = zero_scale::offset,
      .factor = element_factor::field};
}

inline constexpr mx_variant cuda_table[] = {
    transformer_engine("te.mxfp8", element_factor::power, "amax is fmaxf's, which skips NaN"),
    transformer_engine(
        "te.mxfp8-old", element_factor::one_open,
        "as other projects copied it; 255 and 254 depend on the version, and some versions "
        "leave Inf out of amax"),
    flashinfer(),
    vllm_old(),
    vllm(),
    qutlass_absmax(),
    qutlass_quest()};

}  // namespace mx::mx_presets
