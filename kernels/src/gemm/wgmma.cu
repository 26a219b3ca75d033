// SPDX-License-Identifier: Apache-2.0
// kernels/src/gemm/wgmma.cu: launches of gemm_mxfp4_wgmma, the product by the matrix instruction of
// four warps of sm_90a. Code for other architectures is a stub, which the launcher refuses; not run
// on its hardware yet.
#include "device/warpgroup.h"
#include "gemm/launches.h"
#include "gemm/wgmma_choice.h"
#include "grid_launch.h"
#include "requests.h"

namespace mx::kernels {
namespace {

constexpr const char* name = "gemm_mxfp4_wgmma";

template <gemm_arithmetic A, class Products>
__global__ void __launch_bounds__(prepare_threads)
    prepare_pieces_kernel(const __grid_constant__ prepare_arguments to) {
#if MX_CODE_HAS_WGMMA
  gemm_prepare<model_of<A>, core_matrix_layout<model_of<A>, Products>>(device_thread(nullptr), to);
#endif
}

template <gemm_arithmetic A, class Products>
__global__ void __launch_bounds__(threads_if(MX_CODE_HAS_WGMMA, wgmma_threads), 1)
    wgmma_kernel(const __grid_constant__ wgmma_arguments to) {
#if MX_CODE_HAS_WGMMA
  extern __shared__ __align__(core_matrix) quad_word stages[];
  gemm_mxfp4_wgmma<model_of<A>, Products>(warpgroup_thread(stages), to);
#endif
}

__global__ void __launch_bounds__(rest_threads)
    rest_kernel(const __grid_constant__ wgmma_arguments to) {
#if MX_CODE_HAS_WGMMA
  gemm_rest(device_thread(nullptr), to);
#endif
}

template <gemm_arithmetic A, class Products>
status launch_prepare(const prepare_arguments& to, stream on) {
  return launched_on({prepare_blocks(to.to), prepare_threads}, on, "gemm_prepare",
                     prepare_pieces_kernel<A, Products>, to);
}

template <gemm_arithmetic A, class Products>
status launch_prepare_b(const gemm_request& r, stream on) {
  const void* kernel = reinterpret_cast<const void*>(wgmma_kernel<A, Products>);
  const status fits = compiled_for(kernel, name, wgmma_threads);
  if (!fits.is_done()) return fits;
  return launch_prepare<A, Products>(prepare_columns_of(wgmma_arguments_of(r)), on);
}

template <gemm_arithmetic A, class Products>
status launch(const gemm_request& r, stream on) {
  const wgmma_arguments to = wgmma_arguments_of(r);
  constexpr int bytes = wgmma_shared_bytes<model_of<A>>;
  const void* kernel = reinterpret_cast<const void*>(wgmma_kernel<A, Products>);
  status fits = fits_grid(tile_blocks(to));
  if (fits.is_done()) fits = compiled_for(kernel, name, wgmma_threads);
  if (fits.is_done()) fits = allow_shared_memory(kernel, name, bytes);
  if (!fits.is_done()) return fits;
  const status rows = launch_prepare<A, Products>(prepare_rows_of(to), on);
  if (!rows.is_done()) return rows;
  if (!has_prepared_b(r)) {
    const status columns = launch_prepare<A, Products>(prepare_columns_of(to), on);
    if (!columns.is_done()) return columns;
  }
  const status product =
      launched_on({tile_blocks(to), wgmma_threads, bytes}, on, name, wgmma_kernel<A, Products>, to);
  if (!product.is_done()) return product;
  return launched_on({tile_blocks(to), rest_threads}, on, "gemm_rest", rest_kernel, to);
}

}  // namespace

status launch_wgmma(const gemm_request& r, stream on) {
  return with_wgmma_arithmetic(arithmetic_of(r.plan), [&]<gemm_arithmetic A>() {
    return r.kernel == gemm_kernel::wgmma ? launch<A, byte_products>(r, on)
                                          : launch<A, e4m3_products>(r, on);
  });
}

status launch_wgmma_prepare_b(const gemm_request& r, stream on) {
  return with_wgmma_arithmetic(arithmetic_of(r.plan), [&]<gemm_arithmetic A>() {
    return r.kernel == gemm_kernel::wgmma ? launch_prepare_b<A, byte_products>(r, on)
                                          : launch_prepare_b<A, e4m3_products>(r, on);
  });
}

}  // namespace mx::kernels
