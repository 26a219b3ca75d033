// SPDX-License-Identifier: Apache-2.0
// mx/kernels/grouped_gemm.h: several products of one plan on a CUDA device, bit for bit those of as
// many calls of gemm. Has not run on a device.
// Source: mx/dot/gemm.h (the results).
#pragma once
#include "mx/kernels/gemm.h"

namespace mx::kernels {

/// Most products of a request.
inline constexpr std::int64_t most_products = std::int64_t{1} << 20;

/// A product of a group, as gemm_request has it.
struct gemm_group {
  gemm_shape shape;
  gemm_operand a, b;
  const void* c = nullptr;
  void* d = nullptr;
  std::int64_t c_stride = 0, d_stride = 0;
};

/// Request of gemm_grouped: products of any sizes, as those of the experts of a layer.
///   groups     on the host, `count` of them; read before the launcher returns
///   workspace  gemm_workspace_bytes of all products together
///   kernel     of all; `best` is chosen for each by itself
struct gemm_grouped_request {
  gemm_plan plan;
  const gemm_group* groups = nullptr;
  std::int64_t count = 0;
  void* workspace = nullptr;
  std::int64_t workspace_bytes = 0;
  gemm_kernel kernel = gemm_kernel::best;
};

/// Request of gemm_batched: products of one shape, at equal distances.
///   first    product 0; its workspace is that of all products together, and it has no prepared B
///   ..step   from a product to the next: bytes for a, b and their scales, elements for c and d. 0:
///            all products share it, not allowed for d. Matrices of d lie one after another, or
///            beside each other in rows of d_stride
struct gemm_batched_request {
  gemm_request first;
  std::int64_t count = 1;
  std::int64_t a_step = 0, a_scales_step = 0, b_step = 0, b_scales_step = 0;
  std::int64_t c_step = 0, d_step = 0;
};

/// Bytes of the workspace; 0 if none is required or the request is invalid.
[[nodiscard]] std::int64_t gemm_workspace_bytes(const gemm_grouped_request& request);
[[nodiscard]] std::int64_t gemm_workspace_bytes(const gemm_batched_request& request);

/// Computes every D. core, dp4a, mma, fma and fma_small compute up to ten consecutive products a
/// launch (mma in four launches), whose arguments are the launch's own; wgmma and native run as a
/// loop of launches, product by product.
///   errors  as gemm's, with status.product; more than most_products; results that overlap the
///           inputs or results of other products. Nothing is launched then.
status gemm_grouped(const gemm_grouped_request& request, stream on);
status gemm_batched(const gemm_batched_request& request, stream on);

}  // namespace mx::kernels
