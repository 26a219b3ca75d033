// SPDX-License-Identifier: Apache-2.0
// kernels/src/quantize/dequantize.cu: dequantize and fake_quantize: kernel selection and
// launch. Has not run on its hardware.
#include "device/thread.h"
#include "grid_launch.h"
#include "quantize/dequantize_choice.h"
#include "rectangle_launch.h"
#include "requests.h"
#include "typed_launch.h"

namespace mx::kernels {
namespace {

__global__ void __launch_bounds__(element_threads) elements_kernel(dequantize_arguments to) {
  dequantize_blocks(device_thread(nullptr), to);
}

template <number_type Type>
__global__ void __launch_bounds__(mxfp4_rows_threads) rows_kernel(dequantize_rows_arguments to) {
  dequantize_mxfp4_rows<Type>(device_thread(nullptr), to);
}

__global__ void __launch_bounds__(block_threads) fake_blocks_kernel(fake_blocks_arguments to) {
  fake_quantize_blocks(device_thread(nullptr), to);
}

template <number_type Type>
__global__ void __launch_bounds__(mxfp4_rows_threads)
    fake_rows_kernel(fake_quantize_rows_arguments to) {
  fake_quantize_mxfp4_rows<Type>(device_thread(nullptr), to);
}

// At least two blocks a multiprocessor: up to 128 registers a thread, so that nothing spills.
template <number_type Type>
__global__ void __launch_bounds__(wide_threads, 2)
    fake_wide_rows_kernel(fake_quantize_rows_arguments to, stochastic_mxfp4 coder) {
  fake_quantize_wide_rows<Type>(device_thread(nullptr), to, coder);
}

/// Launches `work` threads; a kernel takes its arguments by value.
template <class Arguments>
status launch(void (*kernel)(Arguments), const char* name, std::uint64_t work, int threads,
              const Arguments& to, stream on) {
  return launched_on({blocks_for(static_cast<std::int64_t>(work), threads), threads}, on, name,
                     kernel, to);
}

template <number_type Type>
status launch_rows(const dequantize_rows_arguments& to, stream on) {
  return launch(rows_kernel<Type>, "dequantize_mxfp4_rows", to.pieces, mxfp4_rows_threads, to, on);
}

template <number_type Type>
status launch_rows(const fake_quantize_rows_arguments& to, stream on) {
  return launch(fake_rows_kernel<Type>, "fake_quantize_mxfp4_rows", to.pieces, mxfp4_rows_threads,
                to, on);
}

status launch_wide_rows(const fake_quantize_request& r, stream on) {
  const fake_quantize_rows_arguments to = rows_arguments_of(r);
  const stochastic_mxfp4 coder = stochastic_coder_of(r.how.rules);
  const std::int64_t blocks = blocks_for(static_cast<std::int64_t>(to.pieces), wide_pieces);
  return launched_for(r.type, [&]<number_type Type>() {
    return launched_on({blocks, wide_threads}, on, "fake_quantize_wide_rows",
                       fake_wide_rows_kernel<Type>, to, coder);
  });
}

template <class Arguments>
status launch_rows_of(number_type type, const Arguments& to, stream on) {
  return launched_for(type, [&]<number_type Type>() { return launch_rows<Type>(to, on); });
}

bool is_empty(const matrix_shape& shape) { return shape.rows == 0 || shape.columns == 0; }

}  // namespace

status dequantize(const dequantize_request& r, stream on) {
  const status answer = checked(r);
  if (!answer.is_done() || is_empty(r.shape)) return answer;
  const status device = usable_device();
  if (!device.is_done()) return device;
  if (takes_rows_kernel(r)) return launch_rows_of(r.output, rows_arguments_of(r), on);
  const dequantize_arguments to = elements_of(r);
  return launch(elements_kernel, "dequantize_blocks", to.lines * to.length, element_threads, to,
                on);
}

status fake_quantize(const fake_quantize_request& r, stream on) {
  const status answer = checked(r);
  if (!answer.is_done() || is_empty(r.shape)) return answer;
  const status device = usable_device();
  if (!device.is_done()) return device;
  if (takes_rows_kernel(r)) return launch_rows_of(r.type, rows_arguments_of(r), on);
  if (takes_wide_rows_kernel(r)) return launch_wide_rows(r, on);
  const fake_blocks_arguments to = blocks_of(r);
  if (is_of_rectangles(r.how.format())) return launch_rectangles(to, on);
  return launch(fake_blocks_kernel, "fake_quantize_blocks", to.from.lines * to.blocks_a_line,
                block_threads, to, on);
}

}  // namespace mx::kernels
