// SPDX-License-Identifier: Apache-2.0
// mx/kernels/gemm.h: products of block-scaled matrices on a CUDA device, bit for bit those of
// mx::gemm.
// Source: mx/dot/gemm.h (the results).
#pragma once
#include "mx/dot/bulk_gemm.h"
#include "mx/kernels/status.h"

namespace mx::kernels {

/// Which kernel computes a product.
///   best        the fastest that supports the request, except wgmma and native
///   core        one thread for each element of D, by mx::dot itself; supports every plan
///   dp4a        tiles in shared memory, four byte products an instruction
///   mma         tensor cores on bytes (mma.sync, sm_80 and later); requires a workspace
///   wgmma       as mma, by the matrix instruction of four warps; compute capability 9.0 only
///   wgmma_e4m3  as wgmma through E4M3, whose sums are exact provided that the tensor cores
///               behave as `hopper.wgmma.e4m3.f32` describes: only while that model rests on words
///               recorded on hardware. Under `fp32.sequential` E8M0 scales are folded into the
///               codes of a step where those of each 32 lines spread over at most 14 binades
///   fma, fma_small  tiles of 128 or 64 rows and columns, a fused multiply-add a product
///   native      Blackwell's own FP4 instructions (mma.sync on sm_120, tcgen05 on sm_100): the
///               result is the hardware's; requires a workspace
/// dp4a, mma and wgmma: E2M1, without promotion and parts, under `fp32.sequential` (scales E8M0 of
/// 32, UE4M3 of 16), `blackwell.mxf4` and, except for wgmma, `blackwell.mxf4nvf4`. fma, fma_small:
/// `fp32.fma` of elements of up to 8 bits with unsigned scales of 16, 32, 64, ... elements;
/// promoted, or in parts added in ascending order. native: `blackwell.mxf4` and
/// `blackwell.mxf4nvf4`, where D is the unconverted sum.
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

/// Steps of wgmma_e4m3, 64 of k of 64 rows and 128 columns of D each, by how they were computed.
struct step_counts {
  std::uint64_t folded = 0;  ///< one factor for 32 columns: scales are in the codes
  std::uint64_t not_folded =
      0;  ///< a factor for each line: spread or extreme scales, NaN, the end of k
};

/// B as the threads of mma, wgmma or wgmma_e4m3 load it, prepared once for any number of products
/// that differ in A, C and D.
///   memory             in device memory, 16-byte aligned; null: none
///   kernel, model, n, k  of the products that can read it
struct prepared_b {
  void* memory = nullptr;
  gemm_kernel kernel = gemm_kernel::best;
  dot_model model;
  std::int64_t n = 0, k = 0;
};

/// Request of gemm.
///   a, b       as mx::gemm_operand, in device memory; k is a multiple of the model's block
///   c          (m, n), row-major, numbers of plan.model.sum.result; null: +0 everywhere
///   d          (m, n), row-major, numbers of plan.output; may be c itself if both have the same
///              type and stride
///   workspace  gemm_workspace_bytes, 16-byte aligned; null: only kernels that need none are used
///   c_stride, d_stride  elements between rows; 0: n, without gaps. Gaps are neither read nor
///              written. Any stride and alignment of whole numbers has the same kernels and bits;
///              mma and wgmma store two numbers at once if every row of d is 8-byte aligned
///   steps      in device memory, 8-byte aligned: wgmma_e4m3 adds its steps to it where it may fold
///              scales, other products leave it; null: not counted
///   prepared   B by gemm_prepare_b, which must have been launched on the same stream or have
///              ended; the workspace then needs no room for it. Elements left to the core still
///              read b. Without it every call prepares B anew
struct gemm_request {
  gemm_plan plan;
  gemm_shape shape;
  gemm_operand a, b;
  const void* c = nullptr;
  void* d = nullptr;
  void* workspace = nullptr;
  std::int64_t workspace_bytes = 0;
  gemm_kernel kernel = gemm_kernel::best;
  std::int64_t c_stride = 0, d_stride = 0;
  step_counts* steps = nullptr;
  prepared_b prepared = {};
};

/// Bytes that the fastest kernel requires; 0 if it requires none or the request is invalid.
[[nodiscard]] std::int64_t gemm_workspace_bytes(const gemm_request& request);

/// Bytes of the prepared B of a request; 0 if its kernel prepares none or the request is invalid.
///   request  its a, c, d and workspace are not read; best: mma
[[nodiscard]] std::int64_t prepared_b_bytes(const gemm_request& request);

/// Prepares B of a request in memory of the device, for gemm_request::prepared.
///   bytes   of the memory
///   made    written if the answer is done
///   errors  as gemm's of n, k, the plan and b; a kernel that prepares no B; too little memory
status gemm_prepare_b(const gemm_request& request, void* memory, std::int64_t bytes,
                      prepared_b& made, stream on);

/// Computes D of a plan. Equals mx::gemm for every element.
///   errors  null, misaligned or overlapping pointers, negative sizes, a k that is no multiple of
///           the block or exceeds 2^30, a matrix of more than 2^31 elements, a stride other than 0
///           below n or beyond 2^60 elements in all (gaps count as part of c and d), a plan that
///           mx::refusal_of refuses, codes or scales wider than their storage, a kernel that does
///           not support the plan, a workspace that is too small, a B prepared for another product.
///           Launches nothing if m or n is 0.
status gemm(const gemm_request& request, stream on);

}  // namespace mx::kernels
