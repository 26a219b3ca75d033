// SPDX-License-Identifier: Apache-2.0
// mx/presets/nvfp4_presets.h: NVFP4 quantizers of public kernels, one value a preset; the table of
// all is in mx/presets/nvfp4_variants.h.
// Source: of each preset in its `source`.
#pragma once
#include "mx/presets/nvfp4_presets_te.h"

namespace mx::nvfp4_presets {

inline constexpr std::string_view given_factor =
    "rcp.approx.ftz is taken as the correctly rounded reciprocal with subnormals "
    "flushed, of 6 as 0x3E2AAAAB; the tensor's factor is the caller's, here 2688 / "
    "amax; a build with fast math flushes the products, too";

inline constexpr std::string_view torchao_tensor =
    "pytorch/ao: torchao/prototype/mx_formats/nvfp4_tensor.py (nvfp4_quantize)";
inline constexpr std::string_view torchao_nan =
    "the code of NaN comes from its payload: 4 from an E4M3 NaN and on CUDA, while x86 "
    "makes 0xB of 0 * Inf, and of a tensor of zeros the scale 0xFF and codes 0xC";
inline constexpr nvfp4_variant torchao_nvfp4{
    .about = {"torchao.nvfp4", torchao_tensor, torchao_nan, evidence::run, per_tensor},
    .order = {.tensor = tensor_factor::decode,
              .block = block_scale_order::divided_over,
              .scale = scale_encoding::at_least_normal,
              .multiplier = multiplier_order::reciprocal_over,
              .limit = multiplier_limit::none},
    .nan_amax = nan_in_amax::propagated,
    .scaled_nan = scaled_nan::two};
inline constexpr nvfp4_variant torchao_nvfp4_single_level{
    .about = {"torchao.nvfp4-single-level", torchao_tensor, torchao_nan, evidence::run, no_tensor},
    .order = {.tensor = tensor_factor::none,
              .block = block_scale_order::divided,
              .scale = scale_encoding::at_least_normal,
              .multiplier = multiplier_order::reciprocal,
              .limit = multiplier_limit::none},
    .nan_amax = nan_in_amax::propagated,
    .scaled_nan = scaled_nan::two};
inline constexpr nvfp4_variant torchao_nvfp4_training{
    .about = {"torchao.nvfp4-training",
              "pytorch/ao: test/prototype/moe_training/nvfp4_training/nvfp4_reference.py, after "
              "0.18.0",
              "blocks with a NaN: as TransformerEngine here", evidence::read, per_tensor}};
inline constexpr nvfp4_variant torchao_nvfp4_training_0_18{
    .about = {"torchao.nvfp4-training-0.18",
              "pytorch/ao 0.18.0: "
              "torchao/prototype/moe_training/nvfp4_training/hadamard_utils.py "
              "(_nvfp4_quantize), quantize_2d_triton.py",
              "Triton's division may be the approximate div.full.f32, taken as correctly "
              "rounded; NaN ignored in amax as tl.max does",
              evidence::one_source, per_tensor},
    .order = {.block = block_scale_order::divided_times, .scale = scale_encoding::at_least_normal},
    .nan_amax = nan_in_amax::ignored_if_beside};

inline constexpr std::string_view tensorrt_kernels =
    "flashinfer-ai/flashinfer: "
    "csrc/nv_internal/tensorrt_llm/kernels/quantization_utils.cuh "
    "(cvt_warp_fp16_to_fp4)";
inline constexpr nvfp4_order approximate_order{.tensor = tensor_factor::encode,
                                               .block = block_scale_order::reciprocal_first,
                                               .limit = multiplier_limit::none,
                                               .zero = underflowed_scale::amax_decides,
                                               .reciprocals = fp32::reciprocal_subnormals::flushed};
/// Kernels whose amax skips NaN, and whose decoders multiply by the tensor's scale last.
[[nodiscard]] constexpr nvfp4_variant decoded_last(const variant& about,
                                                   const nvfp4_order& order) noexcept {
  return {.about = about,
          .order = order,
          .nan_amax = nan_in_amax::ignored_if_beside,
          .decoding = decode_order::scale_last};
}
inline constexpr nvfp4_variant flashinfer_nvfp4 =
    decoded_last({"flashinfer.nvfp4", tensorrt_kernels,
                  "TE_EXACT_NVFP4, fast math off; the tensor's factor is the caller's, here 2688 / "
                  "amax; of a block whose scale underflows, zeros become 6, too (0 * Inf)",
                  evidence::read, per_tensor},
                 {.tensor = tensor_factor::encode,
                  .block = block_scale_order::folded_nonzero,
                  .limit = multiplier_limit::none,
                  .zero = underflowed_scale::amax_decides});
inline constexpr nvfp4_variant flashinfer_nvfp4_fast = decoded_last(
    {"flashinfer.nvfp4-fast", tensorrt_kernels, given_factor, evidence::read, per_tensor},
    approximate_order);

/// Four over six of a whole tensor, as FlashInfer's tests require it of its kernels, bit for bit,
/// when fast math is off: TransformerEngine's, but for the candidates' errors, whose values are
/// decoded by the reciprocal of the tensor's factor, because its callers give that and no amax.
[[nodiscard]] constexpr nvfp4_variant flashinfer_4over6(std::string_view name, float bound,
                                                        std::span<const block_format> formats,
                                                        nvfp4_search search) noexcept {
  nvfp4_variant result = decoded_last(
      {name,
       "flashinfer-ai/flashinfer: tests/test_helpers/utils_fp4.py (ref_fp4_quant_4over6_te), "
       "csrc/nv_internal/tensorrt_llm/kernels/quantization_utils.cuh (cvt_warp_fp16_to_fp4)",
       "since pull request 3448, with FLASHINFER_DISABLE_FP4_QUANT_FAST_MATH=1 and "
       "FLASHINFER_NVFP4_4OVER6_ERR_USE_FAST_MATH=0; one thread takes a block: where two do (fused "
       "MoE, CUDA before 12.9), the sums of its halves are added; the tensor's factor is the "
       "caller's, here that of its tests",
       evidence::read, formats},
      {.tensor = tensor_factor::encode_capped,
       .block = block_scale_order::divided_times,
       .zero = underflowed_scale::amax_clears,
       .bound = bound});
  result.search = search;
  return result;
}

inline constexpr nvfp4_variant trtllm_nvfp4 = decoded_last(
    {"trtllm.nvfp4",
     "NVIDIA/TensorRT-LLM: cpp/tensorrt_llm/kernels/quantization.cuh, by its copy in flashinfer",
     given_factor, evidence::one_source, per_tensor},
    approximate_order);
inline constexpr nvfp4_variant vllm_nvfp4 =
    decoded_last({"vllm.nvfp4",
                  "vllm-project/vllm: csrc/quantization/fp4/nvfp4_utils.cuh (cvt_warp_fp16_to_fp4)",
                  given_factor, evidence::read, per_tensor},
                 {.tensor = tensor_factor::encode,
                  .block = block_scale_order::reciprocal_first,
                  .limit = multiplier_limit::none,
                  .zero = underflowed_scale::scale_decides,
                  .reciprocals = fp32::reciprocal_subnormals::flushed});
inline constexpr nvfp4_variant triton_nvfp4 = decoded_last(
    {"triton.nvfp4",
     "triton-lang/triton: python/triton_kernels/triton_kernels/numerics_details/mxfp.py, "
     "mxfp_details/_downcast_to_mxfp.py, on sm_100 and later",
     "divisions may be the approximate div.full.f32, taken as correctly rounded; "
     "whether the E4M3 cast saturates is the compiler's: it does here",
     evidence::read, no_tensor},
    {.tensor = tensor_factor::none,
     .block = block_scale_order::divided,
     .multiplier = multiplier_order::reciprocal,
     .limit = multiplier_limit::none,
     .zero = underflowed_scale::scale_decides});
inline constexpr nvfp4_variant triton_nvfp4_reference{
    .about = {"triton.nvfp4-reference",
              "triton-lang/triton: python/triton_kernels/triton_kernels/numerics_details/mxfp.py "
              "(downcast_to_mxfp_torch, ROUND_UP)",
              "the sign of a NaN that a product makes is taken as positive", evidence::read,
              no_tensor},
    .order = {.tensor = tensor_factor::none,
              .block = block_scale_order::divided,
              .scale = scale_encoding::nan_beyond,
              .multiplier = multiplier_order::reciprocal,
              .limit = multiplier_limit::none,
              .zero = underflowed_scale::scale_decides},
    .nan_amax = nan_in_amax::propagated,
    .element = {.nan = nan_element::signed_all_ones},
    .decoding = decode_order::scale_last};

inline constexpr nvfp4_variant ggml_nvfp4{
    .about = {"ggml.nvfp4",
              "ggml-org/llama.cpp: ggml/src/ggml-quants.c (quantize_row_nvfp4_ref), "
              "ggml/src/ggml-impl.h",
              "a tensor scale is the model file's, applied by the graph", evidence::run, no_tensor,
              nibble_order::split_half},
    .order = {.tensor = tensor_factor::none,
              .block = block_scale_order::divided,
              .scale = scale_encoding::ggml,
              .multiplier = multiplier_order::reciprocal,
              .limit = multiplier_limit::none},
    .element = {.zero = zero_sign::positive, .method = element_method::search},
    .decoding = decode_order::ggml};
inline constexpr nvfp4_variant universal_nvfp4{
    .about = {"universal.nvfp4",
              "stillwater-sc/universal: include/sw/universal/number/nvblock/nvblock_impl.hpp, "
              "number/microfloat/microfloat_impl.hpp",
              "the tensor's factor is the caller's, here amax / 2688", evidence::read, per_tensor},
    .order = {.tensor = tensor_factor::decode,
              .block = block_scale_order::divided_by_factor,
              .scale = scale_encoding::at_least_one,
              .multiplier = multiplier_order::reciprocal,
              .limit = multiplier_limit::none,
              .zero = underflowed_scale::positive_zero},
    .product = scaled_element::factor_divided,
    .element = {.nan = nan_element::zero}};

inline constexpr std::string_view fouroversix_kernel =
    "mit-han-lab/fouroversix: src/fouroversix/kernels/triton/quantize.py, "
    "quantize/pytorch/reference.py";
inline constexpr std::string_view unknown_sum =
    "the order of the sum over a block is the compiler's, here ascending; torch 2.15 "
    "on x86 with AVX2 adds elements i and i + 8 first";

/// fouroversix: its Triton kernels on sm_100 and later.
[[nodiscard]] constexpr nvfp4_variant fouroversix(std::string_view name, float max, float bound,
                                                  std::span<const block_format> formats,
                                                  nvfp4_search search) noexcept {
  const bool sums =
      search.norm == candidate_norm::magnitudes || search.norm == candidate_norm::squares;
  return {.about = {name, fouroversix_kernel, sums ? unknown_sum : std::string_view{},
                    evidence::read, formats},
          .order = {.tensor = tensor_factor::encode,
                    .block = block_scale_order::divided_times,
                    .scale = scale_encoding::nan_as_zero,
                    .limit = multiplier_limit::none,
                    .zero = underflowed_scale::positive_zero,
                    .max = max,
                    .bound = bound},
          .nan_amax = nan_in_amax::ignored_if_beside,
          .search = search,
          .decoding = decode_order::amax_divided};
}
[[nodiscard]] constexpr nvfp4_variant fouroversix_stochastic(std::string_view name,
                                                             headroom room) noexcept {
  nvfp4_variant result = fouroversix(name, 6.0F, 448.0F, per_tensor, {});
  result.about.doubts =
      "where cvt.rs is; which bits of which Philox word serve an element is the caller's";
  result.order.room = room;
  result.element.rounding = rounding::stochastic;
  return result;
}

/// Quartet II's kernel.
[[nodiscard]] constexpr nvfp4_variant quartet2(std::string_view name, float bound,
                                               std::span<const block_format> formats,
                                               candidate_norm norm) noexcept {
  return {.about = {name, "IST-DASLab/Quartet-II: kernels/csrc/round_four_six.cu",
                    "scale_override is 1; with a NaN or an Inf in the block the kernel may store "
                    "variables it has not set",
                    evidence::read, formats},
          .order = {.tensor = tensor_factor::decode_in_two,
                    .block = block_scale_order::divided_over,
                    .multiplier = multiplier_order::reciprocal_of_decode,
                    .limit = multiplier_limit::none,
                    .zero = underflowed_scale::as_one,
                    .bound = bound},
          .nan_amax = nan_in_amax::ignored_if_beside,
          .search = {norm, candidate_difference::fused, four_scale::divided}};
}

}  // namespace mx::nvfp4_presets
