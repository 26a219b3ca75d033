// SPDX-License-Identifier: Apache-2.0
// kernels/src/wide_launch.h: the launch of quantize_wide_rows with a change and a coder.
#pragma once
#include "device_thread.h"
#include "launch.h"
#include "quantize_wide_rows.h"

namespace mx::kernels {

// Two blocks a multiprocessor at least: up to 128 registers a thread, so that none are spilled.
template <number_type Type, class Change, class Coder>
__global__ void __launch_bounds__(wide_threads, 2)
    wide_rows_kernel(row_pieces to, Change change, Coder coder) {
  quantize_wide_rows<Type>(device_thread(nullptr), to, change, coder);
}

template <class Change, class Coder>
status launch_wide(number_type type, const row_pieces& to, const Change& change, const Coder& coder,
                   stream on) {
  const std::int64_t blocks = blocks_for(static_cast<std::int64_t>(to.pieces), wide_pieces);
  if (blocks > largest_grid) return {launch_error::size, "rows * columns", largest_grid};
  const auto grid = static_cast<unsigned>(blocks);
  switch (type) {
    case number_type::fp32:
      wide_rows_kernel<number_type::fp32><<<grid, wide_threads, 0, on>>>(to, change, coder);
      break;
    case number_type::fp16:
      wide_rows_kernel<number_type::fp16><<<grid, wide_threads, 0, on>>>(to, change, coder);
      break;
    case number_type::bf16:
      wide_rows_kernel<number_type::bf16><<<grid, wide_threads, 0, on>>>(to, change, coder);
      break;
  }
  return launched("quantize_wide_rows");
}

}  // namespace mx::kernels
