// SPDX-License-Identifier: Apache-2.0
// mx/dot/blackwell_models.h: NVIDIA's Blackwell (sm_100) and RTX Blackwell (sm_120) without block
// scales.
// Source: of each model in its `source`; arXiv 2511.10909, tables 3 and 4. Open choices: D-031,
// D-032 (exponents of zeros), D-045 (zero results), D-034 (FP8 on cores that have no such
// instruction).
#pragma once
#include <array>

#include "mx/dot/nvidia_arithmetic.h"

namespace mx::tensor_cores {

/// `blackwell.mma` (FP8 emulated), `blackwell.tcgen05`, `rtxblackwell.mma`.
[[nodiscard]] constexpr auto blackwell_models() noexcept {
  return std::array{
      named_model{"blackwell.mma.tf32.f32", to_f32(tf32, 8, 25, -133), recorded, b200},
      named_model{"blackwell.mma.bf16.f32", to_f32(bf16, 16, 25, -133), recorded, b200},
      named_model{"blackwell.mma.f16.f32", to_f32(f16, 16, 25, -133), recorded, b200},
      named_model{"blackwell.mma.f16.f16", to_f16(f16, 16, 25, -21), recorded, b200, zero_hopper},
      named_model{"blackwell.mma.e4m3.f32", two_steps_to_f32(e4m3), recorded, emulated},
      named_model{"blackwell.mma.e5m2.f32", two_steps_to_f32(e5m2), recorded, emulated},
      named_model{"blackwell.mma.e4m3.f16", two_steps_to_f16(e4m3), recorded, emulated,
                  zero_hopper},
      named_model{"blackwell.mma.e5m2.f16", two_steps_to_f16(e5m2), single, emulated, zero_hopper},
      named_model{"blackwell.tcgen05.tf32.f32", to_f32(tf32, 8, 25, -133), agreed, published},
      named_model{"blackwell.tcgen05.bf16.f32", to_f32(bf16, 16, 25, -133), agreed, published},
      named_model{"blackwell.tcgen05.f16.f32", to_f32(f16, 16, 25, -133), agreed, published},
      named_model{"blackwell.tcgen05.f16.f16", to_f16(f16, 16, 25, -21), agreed, published_f16,
                  zero_wide},
      named_model{"blackwell.tcgen05.e4m3.f32", to_f32(e4m3, 32, 25, -133), agreed, published},
      named_model{"blackwell.tcgen05.e4m3.f16", to_f16(e4m3, 32, 25, -21), agreed, published_f16,
                  zero_wide},
      named_model{"blackwell.tcgen05.e5m2.f32", to_f32(e5m2, 32, 25, -133), agreed, published},
      named_model{"blackwell.tcgen05.e5m2.f16", to_f16(e5m2, 32, 25, -21), agreed, published_f16,
                  zero_wide},
      named_model{"blackwell.tcgen05.e2m3.f32", to_f32(e2m3, 32, 25, -133), single, published,
                  narrow},
      named_model{"blackwell.tcgen05.e2m3.f16", to_f16(e2m3, 32, 25, -21), single, published_f16,
                  narrow_wide},
      named_model{"blackwell.tcgen05.e3m2.f32", to_f32(e3m2, 32, 25, -133), single, published,
                  narrow},
      named_model{"blackwell.tcgen05.e3m2.f16", to_f16(e3m2, 32, 25, -21), single, published_f16,
                  narrow_wide},
      named_model{"blackwell.tcgen05.e2m1.f32", to_f32(e2m1, 32, 25, -133), single, published,
                  narrow},
      named_model{"blackwell.tcgen05.e2m1.f16", to_f16(e2m1, 32, 25, -21), single, published_f16,
                  narrow_wide},
      named_model{"rtxblackwell.mma.tf32.f32", to_f32(tf32, 8, 25, -133), agreed, published},
      named_model{"rtxblackwell.mma.bf16.f32", to_f32(bf16, 16, 25, -133), agreed, published},
      named_model{"rtxblackwell.mma.f16.f32", to_f32(f16, 16, 25, -133), agreed, published},
      named_model{"rtxblackwell.mma.f16.f16", to_f16(f16, 16, 25, -21), agreed, published_f16,
                  zero_hopper},
      named_model{"rtxblackwell.mma.e4m3.f32", to_f32(e4m3, 32, 25, -133), agreed, published},
      named_model{"rtxblackwell.mma.e4m3.f16", to_f16(e4m3, 32, 25, -21), agreed, published_f16,
                  zero_hopper},
      named_model{"rtxblackwell.mma.e5m2.f32", to_f32(e5m2, 32, 25, -133), agreed, published},
      named_model{"rtxblackwell.mma.e5m2.f16", to_f16(e5m2, 32, 25, -21), agreed, published_f16,
                  zero_hopper},
      named_model{"rtxblackwell.mma.e2m3.f32", to_f32(e2m3, 32, 25, -133), single, published,
                  narrow},
      named_model{"rtxblackwell.mma.e2m3.f16", to_f16(e2m3, 32, 25, -21), single, published_f16,
                  narrow_hopper},
      named_model{"rtxblackwell.mma.e3m2.f32", to_f32(e3m2, 32, 25, -133), single, published,
                  narrow},
      named_model{"rtxblackwell.mma.e3m2.f16", to_f16(e3m2, 32, 25, -21), single, published_f16,
                  narrow_hopper},
      named_model{"rtxblackwell.mma.e2m1.f32", to_f32(e2m1, 32, 25, -133), single, published,
                  narrow},
      named_model{"rtxblackwell.mma.e2m1.f16", to_f16(e2m1, 32, 25, -21), single, published_f16,
                  narrow_hopper}};
}

}  // namespace mx::tensor_cores
