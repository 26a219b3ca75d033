// SPDX-License-Identifier: Apache-2.0
// mx/dot/amd_models.h: AMD's matrix cores, CDNA1 to CDNA3, one value each. CDNA4 is not among them:
// no published model gives its bits.
// Source: microsoft/MMA-Sim, amd/sim.py and arithmetic/{fdpa,ftz_mul_add}.py; bksaiki/fpy, amd.py.
// Open choices: D-030 (NaN, signs of zeros), D-035 (stages of CDNA3).
#pragma once
#include <array>

#include "mx/dot/model.h"

namespace mx {
namespace matrix_cores {

inline constexpr format f16 = formats::binary16;
inline constexpr format bf16 = formats::bfloat16;
inline constexpr format xf32 = formats::tf32;
inline constexpr format e4m3fnuz = formats::e4m3fnuz;
inline constexpr format e5m2fnuz = formats::e5m2fnuz;

/// Exact sums of `fused` products and C, each rounded to FP32 once.
[[nodiscard]] constexpr dot_model exact_steps(const format& in, int fused) noexcept {
  dot_model model{.a = in, .b = in};
  model.unread_bits = in == xf32 ? 13 : 0;
  model.sum.fused = fused;
  model.sum.alignment = alignment::exact;
  model.sum.rounding = rounding::ties_to_even;
  model.sum.nan_code = formats::binary32.nan_code();
  return model;
}

/// FP32 products, added in pairs of pairs, then to C; every subnormal is flushed.
[[nodiscard]] constexpr dot_model flushed_pairs(const format& in, int span) noexcept {
  dot_model model = exact_steps(in, 1);
  model.sum.inputs = model.sum.results = subnormals::flushed;
  model.sum.addend = addend::after_span;
  model.sum.joining = joining::pairwise;
  model.sum.span = span;
  return model;
}

/// Products in a window of 24 bits, C in a stage of its own that cuts downward.
[[nodiscard]] constexpr dot_model late_addend_steps(const format& in, int fused) noexcept {
  dot_model model = exact_steps(in, fused);
  model.sum.alignment = alignment::window;
  model.sum.fraction_bits = 24;
  model.sum.zeros = zero_term::ignored;
  model.sum.large = large_product::infinite;
  model.sum.late = {.dot_bits = 32, .addend_bits = 24, .sum_bits = 31};
  return model;
}

/// The same with even and odd products summed separately first, and a far C dropped.
[[nodiscard]] constexpr dot_model even_and_odd_steps(const format& in, int fused) noexcept {
  dot_model model = late_addend_steps(in, fused);
  model.sum.parity = parity::even_and_odd;
  model.sum.late.far = far_addend::zero;
  return model;
}

inline constexpr auto agreed = model_evidence::two_models_agree;
inline constexpr std::string_view published = "microsoft/MMA-Sim, amd/sim.py; bksaiki/fpy, amd.py";
inline constexpr std::string_view nan_unseen =
    "which NaN is written is not compared by the sources";
inline constexpr std::string_view renormalized =
    "cut once at 2^-31 in the text of arXiv 2511.10909, at 2^-32 and again at 2^-31 in its code";

/// `cdna1.mfma`, `cdna2.mfma`, `cdna3.mfma`.
[[nodiscard]] constexpr auto amd_models() noexcept {
  return std::array{
      named_model{"cdna1.mfma.f16.f32", exact_steps(f16, 4), agreed, published, nan_unseen},
      named_model{"cdna1.mfma.bf16.f32", exact_steps(bf16, 2), agreed, published, nan_unseen},
      named_model{"cdna2.mfma.f16.f32", flushed_pairs(f16, 4), agreed, published, nan_unseen},
      named_model{"cdna2.mfma.bf16.f32", flushed_pairs(bf16, 2), agreed, published, nan_unseen},
      named_model{"cdna2.mfma.bf16_1k.f32", flushed_pairs(bf16, 4), agreed, published, nan_unseen},
      named_model{"cdna3.mfma.xf32.f32", late_addend_steps(xf32, 4), agreed, published,
                  renormalized},
      named_model{"cdna3.mfma.f16.f32", late_addend_steps(f16, 8), agreed, published, renormalized},
      named_model{"cdna3.mfma.bf16.f32", late_addend_steps(bf16, 8), agreed, published,
                  renormalized},
      named_model{"cdna3.mfma.bf16_1k.f32", late_addend_steps(bf16, 8), agreed, published,
                  renormalized},
      named_model{"cdna3.mfma.e4m3fnuz.f32", even_and_odd_steps(e4m3fnuz, 16), agreed, published,
                  renormalized},
      named_model{"cdna3.mfma.e5m2fnuz.f32", even_and_odd_steps(e5m2fnuz, 16), agreed, published,
                  renormalized}};
}

}  // namespace matrix_cores
}  // namespace mx
