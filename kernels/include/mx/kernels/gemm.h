// SPDX-License-Identifier: Apache-2.0
// mx/kernels/gemm.h: products of block-scaled matrices on a CUDA device, bit for bit those of
// mx::gemm.
// Source: of what the bits are, mx/dot/gemm.h.
#pragma once
#include "mx/dot/bulk_gemm.h"
#include "mx/kernels/status.h"

namespace mx::kernels {

/// Which kernel computes a product.
///   best        the fastest of those that serve the request, but wgmma and native
///   core        a thread an element of D, by mx::dot itself: every plan
///   dp4a        tiles in shared memory, four products of bytes an instruction
///   mma         tensor cores on bytes (mma.sync, sm_80 and later); needs a workspace
///   wgmma       as mma, by the matrix instruction of four warps; compute capability 9.0 alone
///   wgmma_e4m3  the same through E4M3, whose sums are exact as far as the tensor cores are what
///               `hopper.wgmma.e4m3.f32` says of them
///   fma, fma_small  tiles of 128 or 64 rows and columns, a fused multiply-add a product
///   native      Blackwell's own FP4 instructions (mma.sync on sm_120, tcgen05 on sm_100): what the
///               hardware gives; needs a workspace
/// dp4a, mma and wgmma: E2M1, without promotion and parts, under `fp32.sequential` (scales E8M0 of
/// 32, UE4M3 of 16), `blackwell.mxf4` and, but for wgmma, `blackwell.mxf4nvf4`. fma, fma_small:
/// `fp32.fma` of elements of up to 8 bits with scales without a sign for 16, 32, 64, ... elements;
/// promoted, or in parts that are added in ascending order. native: `blackwell.mxf4` and
/// `blackwell.mxf4nvf4`, D the sum as it is.
enum class gemm_kernel : std::uint8_t {
  best,
  core,
  dp4a,
  mma,
  wgmma,
  wgmma_e4m3,
  fma,
  fma_small,
  native
};

/// What gemm is asked for.
///   a, b       as mx::gemm_operand, in the device's memory; k is a multiple of the model's block
///   c          (m, n), row-major, numbers of plan.model.sum.result; null: +0 everywhere
///   d          (m, n), row-major, numbers of plan.output; may be c where both have one type
///   workspace  gemm_workspace_bytes, at a multiple of 16; null: kernels without one are taken
struct gemm_request {
  gemm_plan plan;
  gemm_shape shape;
  gemm_operand a, b;
  const void* c = nullptr;
  void* d = nullptr;
  void* workspace = nullptr;
  std::int64_t workspace_bytes = 0;
  gemm_kernel kernel = gemm_kernel::best;
};

/// What the fastest kernel needs; 0 where it needs none, or where the request is none.
[[nodiscard]] std::int64_t gemm_workspace_bytes(const gemm_request& request);

/// D of a plan. Equals mx::gemm for every element.
///   errors  null, misaligned and overlapping pointers, negative sizes, a k that is no multiple of the
///           block or is above 2^30, a matrix of more than 2^31 elements, a plan that mx::refusal_of
///           refuses, codes or scales wider than what they are stored in, a kernel that does not serve
///           the plan, a workspace that is too small. Nothing is launched where m or n is 0.
status gemm(const gemm_request& request, stream on);

}  // namespace mx::kernels
