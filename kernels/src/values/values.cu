// SPDX-License-Identifier: Apache-2.0
// kernels/src/values/values.cu: launches of products of FP32 numbers. None of these has run on its
// hardware.
//   tiles  64 by 64 results a block of 256 threads
//   bytes  read: a factor once for every 64 lines of the other; add_leaves also carries each leaf's
//          results through the levels, 1 to 2 reads and 1 write a leaf in the mean
//   work   one multiply-add a product; a fourth of a load of 16 bytes from shared memory beside
//          each
// add_products: an element of all leaves a thread; reads each product once, and levels as
// add_leaves.
#include "device/thread.h"
#include "grid_launch.h"
#include "values/products.h"
#include "values/request.h"

namespace mx::kernels {
namespace {

__global__ void __launch_bounds__(value_threads, 2)
    multiply_kernel(const __grid_constant__ value_product_request to) {
  __shared__ value_memory memory;
  multiply_values(device_thread(&memory), to);
}

__global__ void __launch_bounds__(value_threads, 2)
    leaves_kernel(const __grid_constant__ value_leaves_request to) {
  __shared__ value_memory memory;
  add_value_leaves(device_thread(&memory), to);
}

__global__ void __launch_bounds__(product_leaves_threads)
    products_kernel(const __grid_constant__ product_leaves_request to) {
  add_product_leaves(device_thread(nullptr), to);
}

template <class Request>
status launch(const Request& r, const launch_grid& grid, const char* name, void (*kernel)(Request),
              stream on) {
  const status valid = checked(r);
  if (!valid.is_done() || !has_results(r)) return valid;
  const status device = usable_device();
  if (!device.is_done()) return device;
  return launched_on(grid, on, name, kernel, r);
}

}  // namespace

status multiply(const value_product_request& r, stream on) {
  return launch(r, {value_tiles(r.rows, r.columns), value_threads}, "multiply_values",
                multiply_kernel, on);
}
status add_leaves(const value_leaves_request& r, stream on) {
  return launch(r, {value_tiles(r.m, r.n), value_threads}, "add_value_leaves", leaves_kernel, on);
}
status add_products(const product_leaves_request& r, stream on) {
  return launch(r, {blocks_for(r.m * r.n, product_leaves_threads), product_leaves_threads},
                "add_product_leaves", products_kernel, on);
}

}  // namespace mx::kernels
