// SPDX-License-Identifier: Apache-2.0
// mx/dot/nvidia_models.h: NVIDIA's tensor cores from Volta to Hopper, one value each.
// Source: of each model in its `source`; arXiv 2511.10909, tables 3 and 4. Open choices: D-031,
// D-032 (exponents of zeros), D-045 (zero results), D-034 (FP8 on cores that have no such
// instruction).
#pragma once
#include <array>

#include "mx/dot/nvidia_arithmetic.h"

namespace mx::tensor_cores {

/// Volta's `mma.m8n8k4` with C in FP16 and D in FP32.
[[nodiscard]] constexpr dot_model with_c_in_f16(dot_model model) noexcept {
  model.sum.c_format = c_format::binary16;
  return model;
}
inline constexpr std::string_view c_in_f16 =
    "microsoft/MMA-Sim 2.1, nv_ptx/sim.py; the rest as volta.mma.f16.f32";
inline constexpr std::string_view c_in_f16_unseen =
    "no word was recorded with C in FP16; a subnormal C is read at FP16's least exponent (MMA-Sim)";

/// `volta.mma.f16.f32_c16`: the first step of a chain at most, so that whole products refuse it.
[[nodiscard]] constexpr auto first_step_models() noexcept {
  return std::array{named_model{"volta.mma.f16.f32_c16", with_c_in_f16(to_f32(f16, 4, 23, -131)),
                                single, c_in_f16, c_in_f16_unseen}};
}

/// Volta, Turing, Ampere and Ada. Turing's m8n8k4 is Volta's.
[[nodiscard]] constexpr auto volta_to_ada_models() noexcept {
  return std::array{
      named_model{"volta.mma.f16.f32", to_f32(f16, 4, 23, -131), recorded, v100},
      named_model{"volta.mma.f16.f16", to_f16(f16, 4, 23, -19), recorded, v100, zero_volta},
      named_model{"turing.mma.f16.f32", to_f32(f16, 8, 24, -132), agreed, published},
      named_model{"turing.mma.f16.f16", to_f16(f16, 8, 24, -20), agreed, published_f16,
                  zero_turing},
      named_model{"ampere.mma.tf32.f32", to_f32(tf32, 4, 24, -132), recorded, a100},
      named_model{"ampere.mma.bf16.f32", to_f32(bf16, 8, 24, -132), recorded, a100},
      named_model{"ampere.mma.f16.f32", to_f32(f16, 8, 24, -132), recorded, a100},
      named_model{"ampere.mma.f16.f16", to_f16(f16, 8, 24, -20), recorded, a100, zero_turing},
      named_model{"ada.mma.tf32.f32", to_f32(tf32, 4, 24, -132), agreed, published},
      named_model{"ada.mma.bf16.f32", to_f32(bf16, 8, 24, -132), recorded, ada},
      named_model{"ada.mma.f16.f32", to_f32(f16, 8, 24, -132), agreed, published},
      named_model{"ada.mma.f16.f16", to_f16(f16, 8, 24, -20), recorded, ada, zero_turing},
      named_model{"ada.mma.e4m3.f32", to_e8m13(e4m3, 16, 13, -132), recorded, ada},
      named_model{"ada.mma.e4m3.f16", to_f16(e4m3, 16, 13, -20), recorded, ada, zero_turing},
      named_model{"ada.mma.e5m2.f32", to_e8m13(e5m2, 16, 13, -132), recorded, ada},
      named_model{"ada.mma.e5m2.f16", to_f16(e5m2, 16, 13, -20), recorded, ada, zero_turing}};
}

/// Hopper: `mma` (FP8 emulated) and `wgmma`.
[[nodiscard]] constexpr auto hopper_models() noexcept {
  return std::array{
      named_model{"hopper.mma.tf32.f32", to_f32(tf32, 8, 25, -133), recorded, h100},
      named_model{"hopper.mma.bf16.f32", to_f32(bf16, 16, 25, -133), recorded, h100},
      named_model{"hopper.mma.f16.f32", to_f32(f16, 16, 25, -133), recorded, h100},
      named_model{"hopper.mma.f16.f16", to_f16(f16, 16, 25, -21), recorded, h100, zero_hopper},
      named_model{"hopper.mma.e4m3.f32", two_steps_to_f32(e4m3), single, emulated, emulated_unseen},
      named_model{"hopper.mma.e5m2.f32", two_steps_to_f32(e5m2), single, emulated, emulated_unseen},
      named_model{"hopper.mma.e4m3.f16", two_steps_to_f16(e4m3), recorded, emulated, zero_hopper},
      named_model{"hopper.mma.e5m2.f16", two_steps_to_f16(e5m2), single, emulated, zero_hopper},
      named_model{"hopper.wgmma.tf32.f32", to_f32(tf32, 8, 25, -133), agreed, published},
      named_model{"hopper.wgmma.bf16.f32", to_f32(bf16, 16, 25, -133), agreed, published},
      named_model{"hopper.wgmma.f16.f32", to_f32(f16, 16, 25, -133), agreed, published},
      named_model{"hopper.wgmma.f16.f16", to_f16(f16, 16, 25, -21), agreed, published_f16,
                  zero_wide},
      named_model{"hopper.wgmma.e4m3.f32", to_e8m13(e4m3, 32, 13, -133), recorded, h100_wgmma,
                  zero_139},
      named_model{"hopper.wgmma.e4m3.f16", to_f16(e4m3, 32, 13, -21), agreed, published_f16,
                  zero_wide},
      named_model{"hopper.wgmma.e5m2.f32", to_e8m13(e5m2, 32, 13, -133), recorded, h100_wgmma,
                  zero_139},
      named_model{"hopper.wgmma.e5m2.f16", to_f16(e5m2, 32, 13, -21), agreed, published_f16,
                  zero_wide}};
}

}  // namespace mx::tensor_cores
