// SPDX-License-Identifier: Apache-2.0
// kernels/src/gemm/fma.cu: launches of products whose sums are chains of fused multiply-adds. None
// of these has run on its hardware.
//   shapes  D is (m, n), row-major; A and B lines along k, codes of 4 bits in pairs or a byte each
//   tiles   128 by 128 of D, or 64 by 64 if there would be fewer tiles than multiprocessors
//   bytes   read: codes and scales of A once for every tile across D, of B for every tile down
//   work    m * n * k multiply-adds; the second pass of a correction takes as many again
#include "device/thread.h"
#include "gemm/fma_choice.h"
#include "gemm/launches.h"
#include "grid_launch.h"

namespace mx::kernels {
namespace {

template <fma_sums S, int Edge>
__global__ void __launch_bounds__(fma_shape<Edge>::threads, fma_blocks_a_multiprocessor(S, Edge))
    fma_kernel(const __grid_constant__ fma_arguments to) {
  __shared__ fma_memory<Edge> memory;
  gemm_fma<S, Edge>(device_thread(&memory), to);
}

status launch(gemm_kernel requested, fma_sums sums, const fma_arguments& to, stream on) {
  int multiprocessors = 0;
  const status counted = attribute_of_device(cudaDevAttrMultiProcessorCount, multiprocessors);
  if (!counted.is_done()) return counted;
  const gemm_shape& shape = to.product.shape;
  const int edge = fma_edge(requested, shape, multiprocessors);
  return with_fma_kernel(sums, edge, [&]<fma_sums S, int Edge>() {
    return launched_on({fma_blocks(shape, edge), fma_shape<Edge>::threads}, on, "gemm_fma",
                       fma_kernel<S, Edge>, to);
  });
}

}  // namespace

status launch_fma(const gemm_request& r, stream on) {
  return launch(r.kernel, sums_of(r.plan), fma_arguments_of(r), on);
}
status launch_fma(const corrected_gemm_request& r, stream on) {
  return launch(r.kernel, sums_of(r), fma_arguments_of(r), on);
}

}  // namespace mx::kernels
