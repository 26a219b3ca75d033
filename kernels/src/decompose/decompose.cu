// SPDX-License-Identifier: Apache-2.0
// kernels/src/decompose/decompose.cu: decompose: kernel selection and launch.
//   ladder            a thread takes                                      reads of x
//   decompose_core    a lane of a share, by the core                      2; every format and rule
//   decompose_mxfp4   two lanes of a share, in binary32 and binary64      1, ahead by cp.async
//   add_shares        pairs of 128 neighbouring shares                    0
// Has not run on its hardware.
#include "decompose/choice.h"
#include "device/thread.h"
#include "grid_launch.h"
#include "rectangle_launch.h"
#include "requests.h"
#include "typed_launch.h"

namespace mx::kernels {
namespace {

// At least two blocks a multiprocessor: up to 128 registers a thread, so that nothing spills.
template <class Policy>
__global__ void __launch_bounds__(Policy::threads, 2) shares_kernel(decompose_arguments to) {
  __shared__ quad_word memory[(decompose_bytes<Policy>() + 15) / sizeof(quad_word)];
  decompose_shares<Policy>(device_thread(memory), to);
}

__global__ void __launch_bounds__(sum_threads) sum_kernel(sum_arguments to) {
  __shared__ quad_word memory[sum_threads * sizeof(error_energy) / sizeof(quad_word)];
  add_shares(device_thread(memory), to);
}

// Four blocks a multiprocessor: 128 registers a thread, so that nothing spills.
template <class Kernel>
__global__ void __launch_bounds__(Kernel::threads, 4) mxfp4_kernel(decompose_arguments to) {
  __shared__ quad_word memory[(Kernel::bytes + 15) / sizeof(quad_word)];
  Kernel::run(device_thread(memory), to);
}

template <class Kernel>
status launch_mxfp4(const decompose_arguments& to, stream on) {
  const std::int64_t grid = blocks_for(static_cast<std::int64_t>(to.shares), Kernel::shares);
  return launched_on({grid, Kernel::threads}, on, "decompose", mxfp4_kernel<Kernel>, to);
}

template <number_type Type>
status launch_mxfp4(const decompose_arguments& to, stream on) {
  return clipping_of(to.step) == clipping::never
             ? launch_mxfp4<decompose_mxfp4<Type, clipping::never>>(to, on)
             : launch_mxfp4<decompose_mxfp4<Type, clipping::possible>>(to, on);
}

template <class Policy>
status launch(const decompose_arguments& to, stream on) {
  constexpr int shares_here = Policy::threads / share_threads;
  const std::int64_t grid = blocks_for(static_cast<std::int64_t>(to.shares), shares_here);
  return launched_on({grid, Policy::threads}, on, "decompose", shares_kernel<Policy>, to);
}

status launch(const decompose_request& r, stream on) {
  const decompose_arguments to = arguments_of(r);
  if (is_of_rectangles(r.how.format())) return launch_rectangles(to, on);
  if (!takes_plain_kernel(r)) return launch<decompose_core>(to, on);
  return launched_for(r.input, [&]<number_type Type>() { return launch_mxfp4<Type>(to, on); });
}

}  // namespace

status decompose(const decompose_request& r, stream on) {
  const status answer = checked(r);
  const bool is_empty = r.shape.rows == 0 || r.shape.columns == 0;
  if (!answer.is_done() || (is_empty && r.sum == nullptr)) return answer;
  const status device = usable_device();
  if (!device.is_done()) return device;
  const status shares = is_empty ? status{} : launch(r, on);
  if (!shares.is_done() || r.sum == nullptr) return shares;
  return each_level(r, [on](const sum_arguments& level, std::int64_t blocks) {
    return launched_on({blocks, sum_threads}, on, "add_shares", sum_kernel, level);
  });
}

}  // namespace mx::kernels
