// SPDX-License-Identifier: Apache-2.0
// kernels/src/rectangles.cu: blocks of several rows: quantize, fake_quantize and decompose, a block
// of threads for each block or share. Bytes of x are read once; computed by the core, not tuned for
// speed. Has not run on its hardware.
#include "device/thread.h"
#include "grid_launch.h"
#include "rectangle_launch.h"

namespace mx::kernels {
namespace {

__global__ void __launch_bounds__(rectangle_threads)
    rectangle_blocks_kernel(const __grid_constant__ blocks_arguments to) {
  extern __shared__ quad_word memory[];
  quantize_rectangles(device_thread(memory), to);
}

__global__ void __launch_bounds__(rectangle_threads)
    fake_rectangle_blocks_kernel(const __grid_constant__ fake_blocks_arguments to) {
  extern __shared__ quad_word memory[];
  fake_quantize_rectangles(device_thread(memory), to);
}

__global__ void __launch_bounds__(rectangle_threads)
    decompose_rectangle_blocks_kernel(const __grid_constant__ decompose_arguments to) {
  extern __shared__ quad_word memory[];
  decompose_rectangles(device_thread(memory), to);
}

template <class Arguments>
status launch(void (*kernel)(Arguments), const char* name, std::uint64_t blocks, int bytes,
              const Arguments& to, stream on) {
  const launch_grid grid{static_cast<std::int64_t>(blocks), rectangle_threads, bytes};
  const status fits = fits_grid(grid.blocks);
  if (!fits.is_done()) return fits;
  const status allowed = allow_shared_memory(kernel, name, most_rectangle_bytes);
  return allowed.is_done() ? launched_on(grid, on, name, kernel, to) : allowed;
}

}  // namespace

status launch_rectangles(const blocks_arguments& to, stream on) {
  return launch(rectangle_blocks_kernel, "quantize_rectangles",
                to.place.lines * to.place.blocks_a_line, rectangle_bytes(to.how.format), to, on);
}

status launch_rectangles(const fake_blocks_arguments& to, stream on) {
  return launch(fake_rectangle_blocks_kernel, "fake_quantize_rectangles", rectangles_of(to),
                rectangle_bytes(to.how.format), to, on);
}

status launch_rectangles(const decompose_arguments& to, stream on) {
  return launch(decompose_rectangle_blocks_kernel, "decompose_rectangles", to.shares,
                decompose_rectangle_bytes(to.how.format), to, on);
}

}  // namespace mx::kernels
