// SPDX-License-Identifier: Apache-2.0
// kernels/src/gemm/gemm.cu: gemm: kernel selection and launch. None of these has run on its
// hardware.
//   ladder             a thread computes                    supports
//   gemm_core          an element of D, by mx::dot          every plan
//   gemm_corrected     an element of D, by the core         MXFP4 with two passes or macro blocks
//   gemm_fma           64 or 32 elements of D, tiles of     `fp32.fma`, and products with a
//                      128 or 64, a multiply-add a product  correction: gemm/fma.cu
//   gemm_mxfp4_dp4a    an element of D, tiles of 16 by 16   E2M1 under the models of gemm/steps.h
//   gemm_mxfp4_mma     64 elements of D, tiles of 128 by    the same, from a workspace: what
//                      128, mma.sync on bytes               gemm_prepare fills, 1.13 bytes an
//                                                           element of A and B
//   gemm_rest          what gemm_mxfp4_mma left, by mx::dot
//   gemm_mxfp4_wgmma   64 elements of D, as above, wgmma    the same, on sm_90a: gemm/wgmma.cu
//   gemm_native_..     a tile of D a block of threads, by   Blackwell's FP4, on sm_100a and
//                      its own FP4 instructions             sm_120a: gemm/native.cu
#include "device/thread.h"
#include "gemm/choice.h"
#include "gemm/corrected.h"
#include "gemm/launches.h"
#include "gemm/request.h"
#include "grid_launch.h"
#include "requests.h"

namespace mx::kernels {
namespace {

__global__ void __launch_bounds__(gemm_core_threads)
    core_kernel(const __grid_constant__ gemm_arguments to) {
  gemm_core(device_thread(nullptr), to);
}

__global__ void __launch_bounds__(corrected_gemm_threads)
    corrected_kernel(const __grid_constant__ corrected_gemm_request to) {
  gemm_corrected(device_thread(nullptr), to);
}

template <gemm_arithmetic A>
__global__ void __launch_bounds__(dp4a_threads)
    dp4a_kernel(const __grid_constant__ gemm_arguments to) {
  __shared__ quad_word tile[dp4a_shared_bytes / sizeof(quad_word)];
  gemm_mxfp4_dp4a<model_of<A>>(device_thread(tile), to);
}

template <gemm_arithmetic A>
__global__ void __launch_bounds__(prepare_threads, 4)
    prepare_kernel(const __grid_constant__ prepare_arguments to) {
  gemm_prepare<model_of<A>, panel_layout<model_of<A>>>(device_thread(nullptr), to);
}

template <gemm_arithmetic A>
__global__ void __launch_bounds__(mma_threads, 1)
    mma_kernel(const __grid_constant__ mma_arguments to) {
  extern __shared__ quad_word stages[];
  gemm_mxfp4_mma<model_of<A>>(device_thread(stages), to);
}

__global__ void __launch_bounds__(rest_threads)
    rest_kernel(const __grid_constant__ mma_arguments to) {
  gemm_rest(device_thread(nullptr), to);
}

status launch_core(const gemm_request& r, stream on) {
  return launched_on({core_blocks(r), gemm_core_threads}, on, "gemm_core", core_kernel,
                     arguments_of(r));
}

template <gemm_arithmetic A>
status launch_dp4a(const gemm_request& r, stream on) {
  return launched_on({dp4a_blocks(r), dp4a_threads}, on, "gemm_mxfp4_dp4a", dp4a_kernel<A>,
                     arguments_of(r));
}

template <gemm_arithmetic A>
status launch_prepare(const prepare_arguments& to, stream on) {
  return launched_on({prepare_blocks(to.to), prepare_threads}, on, "gemm_prepare",
                     prepare_kernel<A>, to);
}

template <gemm_arithmetic A>
status launch_mma(const gemm_request& r, stream on) {
  const mma_arguments to = mma_arguments_of(r);
  constexpr int bytes = mma_shared_bytes<model_of<A>>;
  const void* kernel = reinterpret_cast<const void*>(mma_kernel<A>);
  const status fits = first_error(
      {fits_grid(tile_blocks(to)), allow_shared_memory(kernel, "gemm_mxfp4_mma", bytes)});
  if (!fits.is_done()) return fits;
  const status rows = launch_prepare<A>(prepare_rows_of(to), on);
  if (!rows.is_done()) return rows;
  if (!has_prepared_b(r)) {
    const status columns = launch_prepare<A>(prepare_columns_of(to), on);
    if (!columns.is_done()) return columns;
  }
  const status product =
      launched_on({tile_blocks(to), mma_threads, bytes}, on, "gemm_mxfp4_mma", mma_kernel<A>, to);
  if (!product.is_done()) return product;
  return launched_on({tile_blocks(to), rest_threads}, on, "gemm_rest", rest_kernel, to);
}

}  // namespace

status gemm(const gemm_request& r, stream on) {
  const status answer = checked(r);
  if (!answer.is_done() || r.shape.m == 0 || r.shape.n == 0) return answer;
  const status device = usable_device();
  if (!device.is_done()) return device;
  const gemm_kernel kernel = chosen_kernel(r);
  if (kernel == gemm_kernel::core) return launch_core(r, on);
  if (takes_warpgroups(kernel)) return launch_wgmma(r, on);
  if (kernel == gemm_kernel::native) return launch_native(r, on);
  if (is_fma(kernel)) return launch_fma(r, on);
  return with_arithmetic(arithmetic_of(r.plan), [&]<gemm_arithmetic A>() {
    return kernel == gemm_kernel::mma ? launch_mma<A>(r, on) : launch_dp4a<A>(r, on);
  });
}

status gemm_prepare_b(const gemm_request& request, void* memory, std::int64_t bytes,
                      prepared_b& made, stream on) {
  const gemm_request r = preparing(request, memory);
  status answer = checked_preparation(r, bytes);
  if (answer.is_done() && r.shape.n > 0) answer = usable_device();
  if (answer.is_done() && r.shape.n > 0) {
    answer = takes_warpgroups(r.kernel)
                 ? launch_wgmma_prepare_b(r, on)
                 : with_arithmetic(arithmetic_of(r.plan), [&]<gemm_arithmetic A>() {
                     return launch_prepare<A>(prepare_columns_of(mma_arguments_of(r)), on);
                   });
  }
  if (answer.is_done()) made = r.prepared;
  return answer;
}

status gemm_corrected(const corrected_gemm_request& r, stream on) {
  const status answer = checked(r);
  if (!answer.is_done() || r.shape.m == 0 || r.shape.n == 0) return answer;
  const status device = usable_device();
  if (!device.is_done()) return device;
  if (is_fma(chosen_kernel(r))) return launch_fma(r, on);
  return launched_on({corrected_gemm_blocks(r.shape), corrected_gemm_threads}, on, "gemm_corrected",
                     corrected_kernel, r);
}

}  // namespace mx::kernels
