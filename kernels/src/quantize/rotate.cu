// SPDX-License-Identifier: Apache-2.0
// kernels/src/quantize/rotate.cu: rotate_quantize: kernel selection and launch.
//   ladder                         a thread processes         bytes of x, BF16: 2 an element
//   rotate_blocks                  a rotation, by the core    every format, rule and rounding
//   quantize_wide_rows, rotated    two times eight elements   2 read, 0.53 written
// Has not run on its hardware.
#include "quantize/rotate_choice.h"
#include "quantize/wide_launch.h"
#include "requests.h"

namespace mx::kernels {
namespace {

__global__ void __launch_bounds__(block_threads) rotated_kernel(rotated_blocks_arguments to) {
  rotate_blocks(device_thread(nullptr), to);
}

status launch(const rotated_blocks_arguments& to, stream on) {
  const std::uint64_t spans = to.to.from.lines * to.to.from.length / to.span;
  const std::int64_t grid = blocks_for(static_cast<std::int64_t>(spans), block_threads);
  return launched_on({grid, block_threads}, on, "rotate_blocks", rotated_kernel, to);
}

}  // namespace

status rotate_quantize(const rotate_quantize_request& r, stream on) {
  const status answer = checked(r);
  if (!answer.is_done() || r.to.shape.rows == 0 || r.to.shape.columns == 0) return answer;
  if (r.by().size == 0) return quantize(unrotated(r), on);
  const status device = usable_device();
  if (!device.is_done()) return device;
  status wide;
  const bool is_wide = with_rotated_coder(r.to, [&](const auto& coder) {
    wide = launch_wide(r.to.input, row_pieces_of(r.to), rotated_by(r.by()), coder, on);
  });
  return is_wide ? wide : launch(rotated_blocks_of(r), on);
}

}  // namespace mx::kernels
