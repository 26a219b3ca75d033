// SPDX-License-Identifier: Apache-2.0
// kernels/src/quantize/wide_launch.h: the launches of quantize_wide_rows with a change and a coder,
// and of quantize_wide_tiles with a coder.
#pragma once
#include "device/thread.h"
#include "grid_launch.h"
#include "quantize/wide_tiles.h"
#include "typed_launch.h"

namespace mx::kernels {

// At least two blocks a multiprocessor: up to 128 registers a thread, so that nothing spills.
template <number_type Type, class Change, class Coder>
__global__ void __launch_bounds__(wide_threads, 2)
    wide_rows_kernel(row_pieces to, Change change, Coder coder) {
  quantize_wide_rows<Type>(device_thread(nullptr), to, change, coder);
}

template <class Change, class Coder>
status launch_wide(number_type type, const row_pieces& to, const Change& change, const Coder& coder,
                   stream on) {
  const std::int64_t blocks = blocks_for(static_cast<std::int64_t>(to.pieces), wide_pieces);
  return launched_for(type, [&]<number_type Type>() {
    return launched_on({blocks, wide_threads}, on, "quantize_wide_rows",
                       wide_rows_kernel<Type, Change, Coder>, to, change, coder);
  });
}

template <number_type Type, class Coder>
__global__ void __launch_bounds__(wide_threads, 2) wide_tiles_kernel(tiled_matrix to, Coder coder) {
  __shared__ tile_quad tile[wide_tile_memory<Type>::quads];
  quantize_wide_tiles<Type>(device_thread(tile), to, coder);
}

///   tiles  of the matrix
template <class Coder>
status launch_wide_tiles(number_type type, const tiled_matrix& to, std::int64_t tiles,
                         const Coder& coder, stream on) {
  return launched_for(type, [&]<number_type Type>() {
    return launched_on({tiles, wide_threads}, on, "quantize_wide_tiles",
                       wide_tiles_kernel<Type, Coder>, to, coder);
  });
}

}  // namespace mx::kernels
