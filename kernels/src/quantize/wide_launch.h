// SPDX-License-Identifier: Apache-2.0
// kernels/src/quantize/wide_launch.h: the launches of quantize_wide_rows with a change and a coder,
// and of quantize_wide_tiles with a coder.
#pragma once
#include "device/thread.h"
#include "launch.h"
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
  const status fits = fits_grid(blocks);
  if (!fits.is_done()) return fits;
  const auto grid = static_cast<unsigned>(blocks);
  return launched_for(type, [&]<number_type Type>() {
    wide_rows_kernel<Type><<<grid, wide_threads, 0, on>>>(to, change, coder);
    return launched("quantize_wide_rows");
  });
}

template <number_type Type, class Coder>
__global__ void __launch_bounds__(wide_threads, 2)
    wide_tiles_kernel(wide_tiles_arguments to, Coder coder) {
  __shared__ tile_quad tile[wide_tile_memory<Type>::quads];
  quantize_wide_tiles<Type>(device_thread(tile), to, coder);
}

///   tiles  of the matrix
template <class Coder>
status launch_wide_tiles(number_type type, const wide_tiles_arguments& to, std::int64_t tiles,
                         const Coder& coder, stream on) {
  const status fits = fits_grid(tiles);
  if (!fits.is_done()) return fits;
  const auto grid = static_cast<unsigned>(tiles);
  return launched_for(type, [&]<number_type Type>() {
    wide_tiles_kernel<Type><<<grid, wide_threads, 0, on>>>(to, coder);
    return launched("quantize_wide_tiles");
  });
}

}  // namespace mx::kernels
