// SPDX-License-Identifier: Apache-2.0
// mx/presets/nvfp4_presets_te.h: TransformerEngine's NVFP4 quantizers, one value a preset; block
// formats.
// Source: of each preset in its `source`.
#pragma once
#include <array>

#include "mx/presets/nvfp4_variant.h"

namespace mx::nvfp4_presets {

inline constexpr std::array per_tensor{block_formats::nvfp4};
inline constexpr std::array in_tiles{block_formats::nvfp4_2d};
inline constexpr std::array per_row{block_format{formats::e2m1, formats::ue4m3, 1, 16,
                                                 scale_precision::stored, tensor_scaling::per_row}};
inline constexpr std::array of_256{block_format{formats::e2m1, formats::ue4m3, 1, 16,
                                                scale_precision::stored, tensor_scaling::per_tensor,
                                                tensor_bound::of_256}};
inline constexpr std::array no_tensor{block_format{formats::e2m1, formats::ue4m3, 1, 16}};

inline constexpr std::string_view te_kernel =
    "NVIDIA/TransformerEngine: transformer_engine/common/cast/nvfp4/core_nvfp4.cuh, "
    "transformer_engine/common/transpose/quantize_transpose_vector_blockwise_fp4.cu";
inline constexpr std::string_view te_reference =
    "NVIDIA/TransformerEngine: "
    "transformer_engine/pytorch/custom_recipes/reference_nvfp4.py";
inline constexpr std::string_view te_four_over_six =
    "NVIDIA/TransformerEngine: "
    "transformer_engine/common/cast/nvfp4/quantize_4over6_nvfp4.cuh";
inline constexpr std::string_view rotation_apart =
    "the Hadamard rotation of columns is not part of the preset";

inline constexpr nvfp4_order te_divided{.block = block_scale_order::divided_times};
inline constexpr nvfp4_order te_divided_256{.block = block_scale_order::divided_times,
                                            .bound = 256.0F};

inline constexpr nvfp4_variant te_nvfp4{
    .about = {"te.nvfp4", te_kernel, rotation_apart, evidence::run, per_tensor},
    .decoding = decode_order::amax_folded};
inline constexpr nvfp4_variant te_nvfp4_reference{
    .about = {"te.nvfp4-reference", te_reference, rotation_apart, evidence::read, per_tensor},
    .order = {.tensor = tensor_factor::encode_capped, .limit = multiplier_limit::infinity},
    .nan_amax = nan_in_amax::propagated,
    .element = {.nan = nan_element::zero, .zero = zero_sign::of_nonzero},
    .decoding = decode_order::amax_folded};
inline constexpr nvfp4_variant te_nvfp4_2d{
    .about = {"te.nvfp4-2d", te_kernel, "", evidence::read, in_tiles},
    .decoding = decode_order::amax_folded,
    .rows = 16};
inline constexpr nvfp4_variant te_nvfp4_row_scaled{
    .about = {"te.nvfp4-row-scaled", te_kernel, "", evidence::read, per_row},
    .decoding = decode_order::amax_folded};
inline constexpr nvfp4_variant te_nvfp4_fast_math{
    .about =
        {"te.nvfp4-fast-math",
         "NVIDIA/TransformerEngine: "
         "transformer_engine/common/cast/nvfp4/specialized/quantize_transpose_nvfp4_tuned_1D.cuh, "
         "transformer_engine/common/util/ptx_arch_spec.cuh, "
         "transformer_engine/common/CuTeDSL (NVFP4 conversions)",
         "the kernel takes BF16 alone, whose products are exact; other FP32 numbers are "
         "multiplied with one rounding here",
         evidence::read, per_tensor},
    .order = {.multiplier = multiplier_order::bfloat16},
    .product = scaled_element::plus_zero,
    .decoding = decode_order::amax_folded};

inline constexpr nvfp4_variant te_nvfp4_stochastic{
    .about = {"te.nvfp4-stochastic",
              "NVIDIA/TransformerEngine: transformer_engine/common/util/ptx_arch_spec.cuh "
              "(mul_cvt_bf16_to_fp4_4x_with_stochastic_rounding)",
              "where cvt.rs is; the software in its place is not this; which bits of which "
              "Philox word serve an element follows from the kernel's threads and is the "
              "caller's, and the order of bytes in a word is known from the manual's text alone",
              evidence::read, per_tensor},
    .element = {.rounding = rounding::stochastic},
    .decoding = decode_order::amax_folded};

/// Four over six as in TransformerEngine.
[[nodiscard]] constexpr nvfp4_variant te_4over6(std::string_view name, const nvfp4_order& order,
                                                std::span<const block_format> formats,
                                                nvfp4_search search) noexcept {
  return {.about = {name, te_four_over_six, "", evidence::read, formats},
          .order = order,
          .search = search,
          .decoding = decode_order::amax_folded,
          .rows = formats.front().rows};
}
inline constexpr nvfp4_search by_magnitudes{candidate_norm::magnitudes};
inline constexpr nvfp4_search by_squares{candidate_norm::squares};
inline constexpr nvfp4_search by_largest{candidate_norm::largest};
inline constexpr nvfp4_search by_rescaled_magnitudes{candidate_norm::magnitudes,
                                                     candidate_difference::rescaled};
inline constexpr nvfp4_search by_rescaled_squares{candidate_norm::squares,
                                                  candidate_difference::rescaled};
inline constexpr nvfp4_search by_encoded_magnitudes{candidate_norm::magnitudes,
                                                    candidate_difference::encoded};
inline constexpr nvfp4_search by_encoded_squares{candidate_norm::squares,
                                                 candidate_difference::encoded};

}  // namespace mx::nvfp4_presets
