// SPDX-License-Identifier: Apache-2.0
// kernels/src/gemm/grouped.cu: launches of several products: the kernels of the ladder (gemm.cu)
// over the blocks of up to ten products. None of these has run on its hardware.
#include "device/thread.h"
#include "gemm/grouped.h"
#include "gemm/launches.h"
#include "gemm/product_list.h"
#include "grid_launch.h"

namespace mx::kernels {
namespace {

template <class Body>
__global__ void __launch_bounds__(Body::threads, Body::least_blocks)
    list_kernel(const __grid_constant__ product_list<typename Body::arguments> to) {
  extern __shared__ quad_word memory[];
  run_product<Body>(device_thread(memory), to);
}

template <class Body>
status launch_list(std::span<const gemm_request> products, stream on) {
  const launch_grid grid{blocks_of<Body>(products), Body::threads, Body::shared_bytes};
  const status fits = fits_grid(grid.blocks);
  if (!fits.is_done()) return fits;
  if constexpr (Body::shared_bytes > 0) {
    const void* kernel = reinterpret_cast<const void*>(list_kernel<Body>);
    const status allowed = allow_shared_memory(kernel, Body::name, Body::shared_bytes);
    if (!allowed.is_done()) return allowed;
  }
  return launched_on(grid, on, Body::name, list_kernel<Body>, list_of<Body>(products));
}

status launch_run(const listed_kernel& kernel, std::span<const gemm_request> products, stream on) {
  const gemm_request& first = products.front();
  if (takes_warpgroups(kernel.kernel)) return launch_wgmma(first, on);
  if (kernel.kernel == gemm_kernel::native) return launch_native(first, on);
  return for_each_body(first.plan, kernel,
                       [&]<class Body>() { return launch_list<Body>(products, on); });
}

status launch(const gemm_requests& products, stream on) {
  if (!products.answer.is_done() || products.all.empty()) return products.answer;
  const status device = usable_device();
  if (!device.is_done()) return device;
  int multiprocessors = 0;
  const status counted = attribute_of_device(cudaDevAttrMultiProcessorCount, multiprocessors);
  if (!counted.is_done()) return counted;
  return for_each_run(products.all, multiprocessors,
                      [on](const listed_kernel& kernel, std::span<const gemm_request> run) {
                        return launch_run(kernel, run, on);
                      });
}

}  // namespace

status gemm_grouped(const gemm_grouped_request& r, stream on) {
  return launch(checked_requests(r), on);
}
status gemm_batched(const gemm_batched_request& r, stream on) {
  return launch(checked_requests(r), on);
}

}  // namespace mx::kernels
