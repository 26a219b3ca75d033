// SPDX-License-Identifier: Apache-2.0
// mx/presets/element_variants.h: presets of conversions without a block rule: one value to an
// element, or a scale code and an element to a number.
// Source: of each preset in its `source`.
#pragma once
#include <array>

#include "mx/number/e8m0_conversion.h"
#include "mx/presets/mx_presets_torch.h"
#include "mx/presets/variant_element.h"

namespace mx {

/// To an element, from a value already divided by its scale.
struct element_variant {
  variant about;
  element_conversion element;
};

/// From a scale code and an element.
struct decoder_variant {
  variant about;
  e8m0_decoding decoding;
};

inline constexpr std::array element_variant_table{
    element_variant{{"cuda.rn",
                     "CUDA Toolkit: cuda_fp4.hpp, cuda_fp6.hpp, cuda_fp8.hpp (host path); PTX ISA: "
                     "cvt.rn.satfinite",
                     "", evidence::run, covered::floats},
                    {}},
    element_variant{{"cuda.rz", "CUDA Toolkit: cuda_fp4.hpp (host path, cudaRoundZero)",
                     "PTX has no such conversion: the header emulates it everywhere", evidence::run,
                     covered::fp4},
                    {.rounding = rounding::toward_zero}},
    element_variant{
        {"cutlass.host", "NVIDIA/cutlass: include/cutlass/exmy_base.h",
         "sign of NaN read, not run; devices convert by PTX", evidence::one_source, covered::fp4},
        {.nan = nan_element::signed_all_ones}},
    element_variant{{"hip.host", "ROCm HIP: hip/amd_detail/amd_hip_ocp_host.hpp (from_float)",
                     "not its FP8: there Inf becomes NaN in E4M3 even where it saturates",
                     evidence::read, covered::fp4_and_fp6},
                    {.nan = nan_element::signed_all_ones}},
    element_variant{{"mxdatagenerator", "ROCm/mxDataGenerator: lib/include (saturating conversion)",
                     "the conversion that does not saturate gives 0 for everything", evidence::run,
                     covered::fp4},
                    {.nan = nan_element::signed_all_ones, .zero = zero_sign::of_nonzero}},
    element_variant{{"ml_dtypes", "jax-ml/ml_dtypes: ml_dtypes/include/mxfloat.h", "",
                     evidence::run, covered::fp4},
                    {.nan = nan_element::opposite_zero}},
    element_variant{{"onnx", "onnx/onnx: docs/docsgen/source/technical/float4.md",
                     "the document gives 6 for NaN; the reference operator relies on ml_dtypes, "
                     "which gives zeros",
                     evidence::one_source, covered::fp4},
                    {}},
    element_variant{{"te.reference",
                     "NVIDIA/TransformerEngine: transformer_engine/pytorch/custom_recipes/"
                     "reference_nvfp4.py (cast_to_fp4x2)",
                     "", evidence::run, covered::fp4},
                    {.nan = nan_element::zero, .zero = zero_sign::of_nonzero}},
    element_variant{{"mlir",
                     "llvm/llvm-project: mlir/lib/Dialect/Arith/Transforms/ExpandOps.cpp "
                     "(scaling_truncf)",
                     "divides in the input's type by a scale that is cut to E8M0; NaN is the "
                     "target's affair",
                     evidence::one_source, covered::fp4},
                    {}}};

inline constexpr std::array decoder_variant_table{
    decoder_variant{{"gpt-oss", "openai/gpt-oss: gpt_oss/torch/weights.py",
                     "in bfloat16; torch.ldexp of 2.15 keeps 0 at 0 for the scale 255, an earlier "
                     "one may give NaN",
                     evidence::run, covered::fp4},
                    e8m0_decoding::unlimited},
    decoder_variant{{"triton.reference",
                     "triton-lang/triton: python/triton_kernels/triton_kernels/numerics_details/"
                     "mxfp.py (upcast_from_mxfp_torch)",
                     "to FP32; to a narrower type it clamps to that type's range", evidence::read,
                     covered::fp4_and_fp8},
                    e8m0_decoding::saturated},
    decoder_variant{
        {"triton.reference-old",
         "triton-lang/triton: python/triton_kernels/triton_kernels/numerics_details/"
         "mxfp.py (upcast_from_mxfp_torch), first versions",
         "when the clamp came was not looked at", evidence::one_source, covered::fp4_and_fp8},
        e8m0_decoding::shifted}};

}  // namespace mx
