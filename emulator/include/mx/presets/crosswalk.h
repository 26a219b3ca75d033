// SPDX-License-Identifier: Apache-2.0
// mx/presets/crosswalk.h: terms of other frameworks, and their equivalents here.
// Source: of each term, the framework in its entry; the presets in mx/presets/variants.h name
// files.
#pragma once
#include <array>
#include <string_view>

namespace mx {

/// One term of another framework.
///   ours  as typed: after --format, --scale-rule, --rounding, --layout, --packing or --variant
///   note  differences; may be empty
struct crosswalk_entry {
  std::string_view framework, theirs, ours, note;
};

inline constexpr std::array crosswalk_table{
    crosswalk_entry{"OCP MX v1.0", "X, shared scale; P_i, private element", "scale; element", ""},
    crosswalk_entry{"OCP MX v1.0", "conversion of clause 6.3", "--scale-rule floor",
                    "what it leaves open: DECISIONS.md"},
    crosswalk_entry{"arXiv 2605.20402", "ceil", "--scale-rule rceil",
                    "not --scale-rule ceil, which is torchao's"},
    crosswalk_entry{"arXiv 2605.20402", "MBS; OF; AQN", "+mbs=128,8; +of=0.5; arms of train", ""},
    crosswalk_entry{"arXiv 2603.08713", "OAS", "--scale-rule overflow-aware",
                    "the bytes of even for E2M1"},
    crosswalk_entry{"torchao", "ScaleCalculationMode.FLOOR", "--scale-rule floor",
                    "with its NaN and Inf: --variant torchao.floor"},
    crosswalk_entry{"torchao", "ScaleCalculationMode.RCEIL", "--scale-rule rceil",
                    "--variant torchao.rceil"},
    crosswalk_entry{"torchao", "ScaleCalculationMode.CEIL", "--scale-rule ceil",
                    "--variant torchao.ceil"},
    crosswalk_entry{"torchao", "ScaleCalculationMode.EVEN", "--scale-rule even",
                    "--variant torchao.even: amax of 1.75 * 2^127 and above becomes NaN"},
    crosswalk_entry{"torchao", "to_blocked, SwizzleType.SWIZZLE_32_4_4", "--layout 128x4", ""},
    crosswalk_entry{"torchao", "nvfp4_quantize, per_tensor_scale", "--variant torchao.nvfp4",
                    "plain nvfp4 divides exactly and rounds once"},
    crosswalk_entry{"TransformerEngine", "MXFP8BlockScaling", "--variant te.mxfp8", ""},
    crosswalk_entry{"TransformerEngine", "NVFP4BlockScaling", "--variant te.nvfp4",
                    "4over6, 2D and row-scaled are variants of their own"},
    crosswalk_entry{"TransformerEngine", "random Hadamard transform", "+rotate=16,fixed",
                    "kernels multiply by a matrix in a tensor core instead: D-019"},
    crosswalk_entry{"FlashInfer", "FLASHINFER_NVFP4_4OVER6, ERR_MODE MAE; MSE",
                    "--variant flashinfer.4over6-mae; flashinfer.4over6-mse",
                    "of a whole tensor without fast math; with E4M3_USE_256: --variant "
                    "flashinfer.4over6-mae-256"},
    crosswalk_entry{"Triton", "DequantScaleRoundingMode.ROUND_UP", "--scale-rule rceil",
                    "--variant triton.v2.up: byte 1 at 2^-127, byte 0 for NaN"},
    crosswalk_entry{"Triton", "DequantScaleRoundingMode.ROUND_DOWN", "--scale-rule floor",
                    "floor6 in the first versions: --variant triton.v0.down"},
    crosswalk_entry{"microxcaling", "shared_exp_method 'max'", "--scale-rule floor",
                    "its logarithm errs just below powers of two: --variant microxcaling.even"},
    crosswalk_entry{"microxcaling", "round 'nearest' (its default)", "--rounding nearest-away", ""},
    crosswalk_entry{"microxcaling", "round 'even'; 'floor'; 'dither'",
                    "--rounding nearest-even; toward-zero; stochastic",
                    "dither draws FP32 uniforms from torch"},
    crosswalk_entry{"microxcaling", "w_elem_format 'fp4_e2m1', block_size 32", "--format mxfp4",
                    ""},
    crosswalk_entry{"Brevitas", "scaling 'midmax'", "--scale-rule midmax",
                    "its logarithm is FP32's"},
    crosswalk_entry{"AITER", "RoundDown; RoundUp; Even; Ceil",
                    "--scale-rule floor; rceil; even; ceil", "--variant aiter.even and others"},
    crosswalk_entry{"Quark", "scale_calculation_mode 'even'", "--scale-rule even",
                    "--variant quark.even clamps at 254"},
    crosswalk_entry{"fouroversix", "ScaleRule.static_6; static_4", "--scale-rule rceil; static-4",
                    "for MXFP4; for NVFP4 ideal is static_6"},
    crosswalk_entry{"fouroversix", "ScaleRule.mse; mae; abs_max",
                    "--scale-rule 4over6-mse; 4over6-mae; 4over6-abs-max",
                    "with e2m1:ue4m3:16:tensor256; their order of sums is a variant"},
    crosswalk_entry{"QuTLASS, Quartet", "method 'quest'", "--scale-rule quest",
                    "--variant qutlass.quest adds 1e-8 and clips"},
    crosswalk_entry{"QuTLASS", "method 'abs_max'", "--variant qutlass.absmax",
                    "elements are tripled, the product is divided by 3"},
    crosswalk_entry{"arXiv 2502.20586", "3/4 and stochastic rounding",
                    "+gain=3/4 --rounding stochastic", "+rotate=64,random:SEED for its RHT"},
    crosswalk_entry{"DeepSeek-V3", "1x128 and 128x128 tiles, FP32 scales",
                    "--format fp8-1x128; fp8-128x128", ""},
    crosswalk_entry{"DeepGEMM", "UE8M0 scales packed in int32", "--layout packed-int32", ""},
    crosswalk_entry{"CUDA headers", "__nv_cvt_float_to_fp4, cudaRoundNearest",
                    "--rounding nearest-even", "--variant cuda.rn for NaN and Inf"},
    crosswalk_entry{"CUDA headers", "cudaRoundZero", "--rounding toward-zero", ""},
    crosswalk_entry{"PTX", "cvt.rs.satfinite.e2m1x4", "--rounding stochastic --byte-map ptx",
                    "which word serves which four elements is ours: D-022"},
    crosswalk_entry{"cuBLAS, CUTLASS", "VEC32_UE8M0, VEC16_UE4M3 scale tensors", "--layout 128x4",
                    ""},
    crosswalk_entry{"hipBLASLt", "BLK32_UE8M0_32_8_EXT", "--layout gfx950-32x8", ""},
    crosswalk_entry{"llama.cpp", "GGML_TYPE_MXFP4; GGML_TYPE_NVFP4",
                    "--variant ggml.mxfp4; ggml.nvfp4", "--packing split-half"},
    crosswalk_entry{"gpt-oss", "blocks; scales", "codes; scales, packed", ""},
    crosswalk_entry{"ONNX", "FLOAT8E8M0 round_mode up, down, nearest",
                    "--scale-rule rceil, floor6, ideal",
                    "of the quotient amax / max; at 1.5 * 2^k nearest goes up, ideal to the even "
                    "code (D-023); a subnormal quotient is byte 1 under up, and above 2^-127 under "
                    "nearest"},
    crosswalk_entry{"ml_dtypes, torch", "float4_e2m1fn; float8_e4m3fn; float8_e8m0fnu",
                    "e2m1; e4m3; e8m0", ""},
    crosswalk_entry{"gfloat", "RoundMode.TiesToEven, TiesToAway, TowardZero, StochasticFastest",
                    "--rounding nearest-even, nearest-away, toward-zero, stochastic", ""}};

}  // namespace mx
