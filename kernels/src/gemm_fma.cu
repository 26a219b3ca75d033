// SPDX-License-Identifier: Apache-2.0
// kernels/src/gemm_fma.cu: launches of products whose sums are chains of fused multiply-adds. None of
// these has run on its hardware.
//   shapes  D is (m, n), row-major; A and B lines along k, codes of 4 bits in pairs or a byte each
//   bytes   read: codes and scales of A once for every 128 columns of D, of B for every 128 rows
//   work    m * n * k multiply-adds; the second pass of a correction has as many again
#include "device_thread.h"
#include "gemm_fma_choice.h"
#include "gemm_launch.h"
#include "launch.h"

namespace mx::kernels {
namespace {

/// Sums and totals of a thread take 128 registers by themselves.
constexpr int blocks_a_multiprocessor(fma_sums sums) {
  return sums == fma_sums::plain || sums == fma_sums::second_pass ? 2 : 1;
}

template <fma_sums S>
__global__ void __launch_bounds__(fma_threads, blocks_a_multiprocessor(S))
    fma_kernel(const __grid_constant__ fma_arguments to) {
  __shared__ fma_memory memory;
  gemm_fma<S>(device_thread(&memory), to);
}

status launch(fma_sums sums, const fma_arguments& to, stream on) {
  const std::int64_t blocks = fma_blocks(to.product.shape);
  if (blocks > largest_grid) return {launch_error::size, "m * n", largest_grid};
  with_fma_sums(sums, [&]<fma_sums S>() {
    fma_kernel<S><<<static_cast<unsigned>(blocks), fma_threads, 0, on>>>(to);
  });
  return launched("gemm_fma");
}

}  // namespace

status launch_fma(const gemm_request& r, stream on) {
  return launch(sums_of(r.plan), fma_arguments_of(r), on);
}
status launch_fma(const corrected_gemm_request& r, stream on) {
  return launch(sums_of(r), fma_arguments_of(r), on);
}

}  // namespace mx::kernels
