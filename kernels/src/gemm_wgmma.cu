// SPDX-License-Identifier: Apache-2.0
// kernels/src/gemm_wgmma.cu: launches of gemm_mxfp4_wgmma, the product by the matrix instruction of four
// warps of sm_90a. Its text is empty for other architectures; it has not run on its hardware.
#include "device_warpgroup.h"
#include "gemm_launch.h"
#include "gemm_wgmma_choice.h"
#include "launch.h"
#include "requests.h"

namespace mx::kernels {
namespace {

constexpr const char* name = "gemm_mxfp4_wgmma";

template <gemm_arithmetic A, class Products>
__global__ void __launch_bounds__(prepare_threads)
    prepare_pieces_kernel(const __grid_constant__ prepare_arguments to) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  gemm_prepare<model_of<A>, core_matrix_layout<model_of<A>, Products>>(device_thread(nullptr), to);
#endif
}

template <gemm_arithmetic A, class Products>
__global__ void __launch_bounds__(wgmma_threads, 1)
    wgmma_kernel(const __grid_constant__ wgmma_arguments to) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  extern __shared__ __align__(core_matrix) quad_word stages[];
  gemm_mxfp4_wgmma<model_of<A>, Products>(warpgroup_thread(stages), to);
#endif
}

status status_of(cudaError_t error, const char* call) {
  if (error == cudaSuccess) return {};
  static_cast<void>(cudaGetLastError());
  return {launch_error::cuda, call, 0, static_cast<int>(error)};
}

/// Whether the device in use has the instructions, and so much shared memory.
status device_for(int shared_bytes) {
  int device = 0, major = 0, minor = 0, most = 0;
  cudaError_t error = cudaGetDevice(&device);
  const auto ask = [&](int& value, cudaDeviceAttr what) {
    if (error == cudaSuccess) error = cudaDeviceGetAttribute(&value, what, device);
  };
  ask(major, cudaDevAttrComputeCapabilityMajor);
  ask(minor, cudaDevAttrComputeCapabilityMinor);
  ask(most, cudaDevAttrMaxSharedMemoryPerBlockOptin);
  if (error != cudaSuccess) return status_of(error, "cudaDeviceGetAttribute");
  if (major != 9 || minor != 0) return {launch_error::architecture, name};
  return shared_bytes <= most ? status{} : status{launch_error::shared_memory, name, shared_bytes};
}

status grid_of(std::int64_t blocks) {
  return blocks <= largest_grid ? status{} : status{launch_error::size, "m * n", largest_grid};
}

template <gemm_arithmetic A, class Products>
status launch_prepare(const prepare_arguments& to, stream on) {
  const std::int64_t blocks = prepare_blocks(to.to);
  const status grid = grid_of(blocks);
  if (!grid.is_done()) return grid;
  prepare_pieces_kernel<A, Products><<<static_cast<unsigned>(blocks), prepare_threads, 0, on>>>(to);
  return launched("gemm_prepare");
}

template <gemm_arithmetic A, class Products>
status launch(const gemm_request& r, stream on) {
  const wgmma_arguments to = wgmma_arguments_of(r);
  constexpr int bytes = wgmma_shared_bytes<model_of<A>>;
  const status fits = first_error({grid_of(wgmma_blocks(to)), device_for(bytes)});
  if (!fits.is_done()) return fits;
  const status allowed =
      status_of(cudaFuncSetAttribute(wgmma_kernel<A, Products>,
                                     cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
                "cudaFuncSetAttribute");
  if (!allowed.is_done()) return allowed;
  const status rows = launch_prepare<A, Products>(prepare_rows_of(to), on);
  if (!rows.is_done()) return rows;
  const status columns = launch_prepare<A, Products>(prepare_columns_of(to), on);
  if (!columns.is_done()) return columns;
  wgmma_kernel<A, Products>
      <<<static_cast<unsigned>(wgmma_blocks(to)), wgmma_threads, bytes, on>>>(to);
  return launched(name);
}

}  // namespace

status launch_wgmma(const gemm_request& r, stream on) {
  return with_wgmma_arithmetic(arithmetic_of(r.plan), [&]<gemm_arithmetic A>() {
    return r.kernel == gemm_kernel::wgmma ? launch<A, byte_products>(r, on)
                                          : launch<A, e4m3_products>(r, on);
  });
}

}  // namespace mx::kernels
