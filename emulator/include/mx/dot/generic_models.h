// SPDX-License-Identifier: Apache-2.0
// mx/dot/generic_models.h: accumulations defined without a device, and those of two open designs;
// for any element formats and scales, by default MXFP4.
// Source: Kulisch (exact, one rounding); arXiv 2505.13159 (MXDOTP); vortexgpgpu/vortex,
// hw/rtl/tcu/tfr. Open choices: D-033 (overflow), D-036 (`fp32.fma`), D-038 (assumptions about the
// open designs).
#pragma once
#include <array>

#include "mx/dot/model.h"

namespace mx {
namespace accumulations {

/// The exact sum of all products and C, rounded to FP32 once.
[[nodiscard]] constexpr dot_model exact(rounding how) noexcept {
  dot_model model{.a = formats::e2m1, .b = formats::e2m1};
  model.block = 32;
  model.sum.fused = accumulation::all_of_k;
  model.sum.tail = tail::shorter;
  model.sum.alignment = alignment::exact;
  model.sum.rounding = how;
  model.sum.nan_code = formats::binary32.nan_code();
  return model;
}

/// acc = RNE32(acc + a * b), k ascending, from C; a and b are the dequantized FP32 numbers.
[[nodiscard]] constexpr dot_model fused_multiply_adds() noexcept {
  dot_model model = exact(rounding::ties_to_even);
  model.sum.fused = 1;
  model.sum.scales = scale_position::on_operand;
  return model;
}

/// acc = RNE32(acc + exact sum of a block), blocks ascending, from C.
[[nodiscard]] constexpr dot_model block_by_block() noexcept {
  dot_model model = exact(rounding::ties_to_even);
  model.sum.fused = accumulation::one_block;
  return model;
}

/// Exact sums of blocks, each rounded to FP32; adjacent ones are added, an odd one passes up;
/// then C.
[[nodiscard]] constexpr dot_model pairs_of_blocks() noexcept {
  dot_model model = block_by_block();
  model.sum.addend = addend::after_span;
  model.sum.joining = joining::pairwise;
  return model;
}

/// Exact sums of a few products and C, each rounded once, by a unit that takes that many.
[[nodiscard]] constexpr dot_model exact_chain(const format& in, int fused) noexcept {
  dot_model model = with_formats(exact(rounding::ties_to_even), in, in);
  model.sum.fused = fused;
  model.sum.tail = tail::zeros;
  return model;
}

/// A window of 24 bits, the bits cut off magnitudes kept as one sticky bit, rounded to nearest; no
/// subnormal results.
[[nodiscard]] constexpr dot_model window_with_sticky_bit(const format& in, int fused) noexcept {
  dot_model model = exact_chain(in, fused);
  model.sum.alignment = alignment::window;
  model.sum.fraction_bits = 24;
  model.sum.zeros = zero_term::ignored;
  model.sum.lost = lost_bits::sticky;
  model.sum.results = subnormals::flushed;
  return model;
}

inline constexpr auto defined = model_evidence::specification_only;
inline constexpr auto any = operands::any;
inline constexpr std::string_view ours = "a definition";
inline constexpr std::string_view mxdotp =
    "arXiv 2505.13159; pulp-platform/cvfpu, fpnew_mxdotp_multi";
inline constexpr std::string_view vortex = "vortexgpgpu/vortex, VX_tcu_tfr_{align,norm_round}.sv";
inline constexpr std::string_view mxdotp_doubts =
    "like it: NaN, Inf and signs of zeros are ours; products a step of FP4 (16) and of FP8 (8)";
inline constexpr std::string_view vortex_doubts =
    "like it: 8 products a step, scales exact, NaN scales, subnormal inputs and signs of zeros "
    "ours";

/// `exact`, `fp32`, `mxdotp`, `vortex`.
[[nodiscard]] constexpr auto generic_models() noexcept {
  return std::array{named_model{"exact.rne", exact(rounding::ties_to_even), defined, ours, {}, any},
                    named_model{"exact.rz", exact(rounding::toward_zero), defined, ours, {}, any},
                    named_model{"fp32.fma", fused_multiply_adds(), defined, ours, {}, any},
                    named_model{"fp32.sequential", block_by_block(), defined, ours, {}, any},
                    named_model{"fp32.pairwise", pairs_of_blocks(), defined, ours, {}, any},
                    named_model{"mxdotp.e2m1", exact_chain(formats::e2m1, 16), defined, mxdotp,
                                mxdotp_doubts, any},
                    named_model{"mxdotp.e4m3", exact_chain(formats::e4m3, 8), defined, mxdotp,
                                mxdotp_doubts, any},
                    named_model{"vortex.tfr", window_with_sticky_bit(formats::e2m1, 8), defined,
                                vortex, vortex_doubts, any}};
}

}  // namespace accumulations
}  // namespace mx
