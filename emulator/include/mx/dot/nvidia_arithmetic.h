// SPDX-License-Identifier: Apache-2.0
// mx/dot/nvidia_arithmetic.h: the common arithmetic of NVIDIA's tensor cores without block scales,
// and the evidence of their models. The models are in mx/dot/nvidia_models.h and
// mx/dot/blackwell_models.h.
// Source: arXiv 2511.10909, tables 3 and 4, and microsoft/MMA-Sim, nv_ptx/sim.py; bksaiki/fpy,
// examples/mmasim/nv.py; words recorded by north-numerical-computing/MATLAB-tensor-core, and the
// least exponents of its models. Open choices: D-031, D-032 (exponents of zeros), D-045 (zero
// results), D-034 (FP8 on cores that have no such instruction).
#pragma once
#include <string_view>

#include "mx/dot/model.h"

namespace mx {

namespace tensor_cores {

inline constexpr format f16 = formats::binary16;
inline constexpr format bf16 = formats::bfloat16;
inline constexpr format tf32 = formats::tf32;
inline constexpr format e2m1 = formats::e2m1;
inline constexpr format e2m3 = formats::e2m3;
inline constexpr format e3m2 = formats::e3m2;
inline constexpr format e4m3 = formats::e4m3;
inline constexpr format e5m2 = formats::e5m2;

/// Products of two numbers of a format, `fused` at once with C, in a window of `fraction_bits`; to
/// FP32 toward zero. A zero result is +0.
[[nodiscard]] constexpr dot_model to_f32(const format& in, int fused, int fraction_bits,
                                         int zero_exponent) noexcept {
  dot_model model{.a = in, .b = in};
  model.unread_bits = in == tf32 ? 13 : 0;
  model.sum.fused = fused;
  model.sum.fraction_bits = fraction_bits;
  model.sum.zero_exponent = zero_exponent;
  model.sum.zero_result = zero_result::plus;
  return model;
}

/// The same, rounded to the nearest FP16 number.
[[nodiscard]] constexpr dot_model to_f16(const format& in, int fused, int fraction_bits,
                                         int zero_exponent) noexcept {
  dot_model model = to_f32(in, fused, fraction_bits, zero_exponent);
  model.sum.result = model.sum.output = formats::binary16;
  model.sum.rounding = rounding::ties_to_even;
  model.sum.nan_code = 0x7FFF;
  return model;
}

/// To FP32 with 13 fraction bits, the others zero.
[[nodiscard]] constexpr dot_model to_e8m13(const format& in, int fused, int fraction_bits,
                                           int zero_exponent) noexcept {
  dot_model model = to_f32(in, fused, fraction_bits, zero_exponent);
  model.sum.output.fraction_bits = 13;
  return model;
}

/// FP8 as two steps of FP16 from +0, then one rounded addition of C.
[[nodiscard]] constexpr dot_model by_two_steps(dot_model step, const format& in) noexcept {
  step.a = step.b = in;
  step.sum.factors = factor_exponent::binary16;
  step.sum.addend = addend::after_span;
  step.sum.order = step_order::pairs_of_four;
  step.sum.span = 2 * step.sum.fused;
  return step;
}
[[nodiscard]] constexpr dot_model two_steps_to_f32(const format& in) noexcept {
  return by_two_steps(to_f32(f16, 16, 25, -133), in);
}
[[nodiscard]] constexpr dot_model two_steps_to_f16(const format& in) noexcept {
  return by_two_steps(to_f16(f16, 16, 25, -21), in);
}

/// Sources, each with its evidence.
inline constexpr std::string_view published =
    "microsoft/MMA-Sim, nv_ptx/sim.py; bksaiki/fpy, nv.py";
inline constexpr std::string_view published_f16 =
    "microsoft/MMA-Sim 2.1, nv_ptx/sim.py; MATLAB-tensor-core (zeros); bksaiki/fpy, nv.py (the "
    "rest)";
inline constexpr std::string_view v100 = "MATLAB-tensor-core: words of a V100";
inline constexpr std::string_view a100 = "MATLAB-tensor-core: words of an A100";
inline constexpr std::string_view ada = "MATLAB-tensor-core: words of an Ada card and an L40S";
inline constexpr std::string_view h100 = "MATLAB-tensor-core: words of an H100 and an H200";
inline constexpr std::string_view h100_wgmma =
    "MATLAB-tensor-core: words of an H100 and an H200, C = 0";
inline constexpr std::string_view b200 = "MATLAB-tensor-core: words of a B200";
inline constexpr std::string_view emulated =
    "what ptxas 13.0 makes of it (2 HMMA, 4 FADD); MATLAB-tensor-core: words of a B200, to FP16 "
    "also "
    "of an H100";

/// The source of models without recorded words.
[[nodiscard]] constexpr std::string_view published_for(const dot_model& model) noexcept {
  return model.sum.result == f16 ? published_f16 : published;
}

/// Doubts.
inline constexpr std::string_view zero_volta = "zeros at -19 (MMA-Sim 2.1) or -20 (fpy)";
inline constexpr std::string_view zero_turing = "zeros at -20 (MMA-Sim 2.1) or -21 (fpy)";
inline constexpr std::string_view zero_hopper = "zeros at -21 (MMA-Sim 2.1) or -22 (fpy)";
inline constexpr std::string_view zero_wide = "zeros at -21 (MMA-Sim 2.1) or -133 (fpy)";
inline constexpr std::string_view zero_139 = "zeros at -133 (MMA-Sim) or -139 (gpu-simulator)";
inline constexpr std::string_view narrow =
    "run by MMA-Sim from 2.1.1 on; E2M1's 0.5 is read at 0 there, at -1 in fpy (normal_e2m1)";
inline constexpr std::string_view narrow_hopper =
    "run by MMA-Sim from 2.1.1 on; E2M1's 0.5 is read at 0 there, at -1 in fpy (normal_e2m1); "
    "zeros at -21 (MMA-Sim 2.1) or -22 (fpy)";
inline constexpr std::string_view narrow_wide =
    "run by MMA-Sim from 2.1.1 on; E2M1's 0.5 is read at 0 there, at -1 in fpy (normal_e2m1); "
    "zeros at -21 (MMA-Sim 2.1) or -133 (fpy)";
inline constexpr std::string_view emulated_unseen =
    "recorded on a B200 only, whose instructions are the same";

inline constexpr auto recorded = model_evidence::recorded_hardware;
inline constexpr auto agreed = model_evidence::two_models_agree;
inline constexpr auto single = model_evidence::one_model;

}  // namespace tensor_cores
}  // namespace mx
