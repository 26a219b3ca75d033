// SPDX-License-Identifier: Apache-2.0
// mx/dot/block_scaled_models.h: the block-scaled products of Blackwell and RTX Blackwell, one value
// each.
// Source: arXiv 2511.10909, tables 4 and 5 (ST-FDPA, GST-FDPA); microsoft/MMA-Sim, nv_ptx/sim.py;
// bksaiki/fpy, nv.py; PTX ISA, mma with .block_scale (scale formats and sizes of blocks). Open
// choices: D-030, D-032, D-039. Sparse products are not among them.
#pragma once
#include <array>

#include "mx/dot/model.h"
#include "mx/dot/nvidia_arithmetic.h"

namespace mx {
namespace tensor_cores {

/// FP4 in steps of 64: exact sums of 16, which only their scales' exponents align.
[[nodiscard]] constexpr dot_model grouped_f4(const format& scale, int block) noexcept {
  dot_model model = with_scales(to_f32(e2m1, 64, 35, -139), scale, block);
  model.sum.group = 16;
  model.sum.scales = scale_position::on_group;
  return model;
}

/// FP8, FP6 and FP4 in steps of one block of 32.
[[nodiscard]] constexpr dot_model mxf8f6f4(const format& a, const format& b) noexcept {
  return with_scales(with_formats(to_f32(a, 32, 25, -133), a, b), formats::e8m0, 32);
}

inline constexpr std::string_view four_ue8m0 =
    "microsoft/MMA-Sim 2.1, nv_ptx/sim.py; PTX ISA 9.1, kind::mxf4nvf4 with .scale_vec::4X";
inline constexpr std::string_view four_ue8m0_unseen =
    "not run by MMA-Sim; ptxas 13.0 does not assemble it";

/// `blackwell.mxf4`, `blackwell.mxf4nvf4` (UE4M3), `blackwell.mxf4nvf4.ue8m0`,
/// `blackwell.mxf8f6f4.A.B`. kind::mxf4nvf4 with blocks of 32 is `blackwell.mxf4`.
[[nodiscard]] constexpr auto block_scaled_models() noexcept {
  return std::array{
      named_model{"blackwell.mxf4", grouped_f4(formats::e8m0, 32), agreed, published},
      named_model{"blackwell.mxf4nvf4", grouped_f4(formats::ue4m3, 16), agreed, published},
      named_model{"blackwell.mxf4nvf4.ue8m0", grouped_f4(formats::e8m0, 16), single, four_ue8m0,
                  four_ue8m0_unseen},
      named_model{"blackwell.mxf8f6f4.e2m1.e2m1", mxf8f6f4(e2m1, e2m1), single, published, narrow},
      named_model{"blackwell.mxf8f6f4.e2m1.e2m3", mxf8f6f4(e2m1, e2m3), single, published, narrow},
      named_model{"blackwell.mxf8f6f4.e2m1.e3m2", mxf8f6f4(e2m1, e3m2), single, published, narrow},
      named_model{"blackwell.mxf8f6f4.e2m1.e4m3", mxf8f6f4(e2m1, e4m3), single, published, narrow},
      named_model{"blackwell.mxf8f6f4.e2m1.e5m2", mxf8f6f4(e2m1, e5m2), single, published, narrow},
      named_model{"blackwell.mxf8f6f4.e2m3.e2m1", mxf8f6f4(e2m3, e2m1), single, published, narrow},
      named_model{"blackwell.mxf8f6f4.e2m3.e2m3", mxf8f6f4(e2m3, e2m3), single, published, narrow},
      named_model{"blackwell.mxf8f6f4.e2m3.e3m2", mxf8f6f4(e2m3, e3m2), single, published, narrow},
      named_model{"blackwell.mxf8f6f4.e2m3.e4m3", mxf8f6f4(e2m3, e4m3), single, published, narrow},
      named_model{"blackwell.mxf8f6f4.e2m3.e5m2", mxf8f6f4(e2m3, e5m2), single, published, narrow},
      named_model{"blackwell.mxf8f6f4.e3m2.e2m1", mxf8f6f4(e3m2, e2m1), single, published, narrow},
      named_model{"blackwell.mxf8f6f4.e3m2.e2m3", mxf8f6f4(e3m2, e2m3), single, published, narrow},
      named_model{"blackwell.mxf8f6f4.e3m2.e3m2", mxf8f6f4(e3m2, e3m2), single, published, narrow},
      named_model{"blackwell.mxf8f6f4.e3m2.e4m3", mxf8f6f4(e3m2, e4m3), single, published, narrow},
      named_model{"blackwell.mxf8f6f4.e3m2.e5m2", mxf8f6f4(e3m2, e5m2), single, published, narrow},
      named_model{"blackwell.mxf8f6f4.e4m3.e2m1", mxf8f6f4(e4m3, e2m1), single, published, narrow},
      named_model{"blackwell.mxf8f6f4.e4m3.e2m3", mxf8f6f4(e4m3, e2m3), single, published, narrow},
      named_model{"blackwell.mxf8f6f4.e4m3.e3m2", mxf8f6f4(e4m3, e3m2), single, published, narrow},
      named_model{"blackwell.mxf8f6f4.e4m3.e4m3", mxf8f6f4(e4m3, e4m3), agreed, published},
      named_model{"blackwell.mxf8f6f4.e4m3.e5m2", mxf8f6f4(e4m3, e5m2), agreed, published},
      named_model{"blackwell.mxf8f6f4.e5m2.e2m1", mxf8f6f4(e5m2, e2m1), single, published, narrow},
      named_model{"blackwell.mxf8f6f4.e5m2.e2m3", mxf8f6f4(e5m2, e2m3), single, published, narrow},
      named_model{"blackwell.mxf8f6f4.e5m2.e3m2", mxf8f6f4(e5m2, e3m2), single, published, narrow},
      named_model{"blackwell.mxf8f6f4.e5m2.e4m3", mxf8f6f4(e5m2, e4m3), agreed, published},
      named_model{"blackwell.mxf8f6f4.e5m2.e5m2", mxf8f6f4(e5m2, e5m2), agreed, published}};
}

}  // namespace tensor_cores

// The accumulators: 48 bits under E8M0 scales, 49 under UE4M3's, 34 for 32 products and C.
static_assert(window_bits(tensor_cores::grouped_f4(formats::e8m0, 32)) == 48);
static_assert(window_bits(tensor_cores::grouped_f4(formats::ue4m3, 16)) == 49);
static_assert(window_bits(tensor_cores::mxf8f6f4(formats::e4m3, formats::e4m3)) == 34);
static_assert(window_bits(tensor_cores::to_e8m13(formats::e4m3, 32, 13, -133)) == 22);

}  // namespace mx
