// SPDX-License-Identifier: Apache-2.0
// kernels/src/quantize/quantize.cu: quantize: kernel selection and launch.
//   ladder            a thread quantizes                bytes of x, BF16: 2 an element
//   quantize_blocks   a block, by the core              every format, rule and rounding
//   ..._block_tiles   blocks of a tile, by the core     the same, columns or both
//   ..._rectangles    values of a block of several rows, one launch for rows and one for columns
//   ..._mxfp4_rows    two times eight, in pairs         2 read, 0.53 written
//   ..._wide_rows     two times eight elements          2 read, 0.53 written; random bits, NVFP4
//   ..._mxfp4_tiles   eight elements, then a column     2 read, 0.53 or 1.06 written
//   ..._wide_tiles    as wide rows, then columns        2 read, 0.53 or 1.06 written
// Has not run on its hardware.
#include "quantize/choice.h"
#include "quantize/wide_launch.h"
#include "rectangle_launch.h"
#include "requests.h"

namespace mx::kernels {
namespace {

__global__ void __launch_bounds__(block_threads) blocks_kernel(blocks_arguments to) {
  quantize_blocks(device_thread(nullptr), to);
}

template <number_type Type>
__global__ void __launch_bounds__(mxfp4_rows_threads) rows_kernel(mxfp4_rows_arguments to) {
  quantize_mxfp4_rows<Type>(device_thread(nullptr), to);
}

template <number_type Type>
__global__ void __launch_bounds__(tile_threads) tiles_kernel(mxfp4_tiles_arguments to) {
  __shared__ quad_word tile[tile_bytes / sizeof(quad_word)];
  quantize_mxfp4_tiles<Type>(device_thread(tile), to);
}

__global__ void __launch_bounds__(block_threads)
    tiled_blocks_kernel(const __grid_constant__ block_tiles_arguments to) {
  extern __shared__ quad_word memory[];
  quantize_block_tiles(device_thread(memory), to);
}

status launch(const blocks_arguments& to, stream on) {
  const auto blocks = static_cast<std::int64_t>(to.place.lines * to.place.blocks_a_line);
  return launched_on({blocks_for(blocks, block_threads), block_threads}, on, "quantize_blocks",
                     blocks_kernel, to);
}

status launch(const block_tiles_arguments& to, stream on) {
  constexpr const char* name = "quantize_block_tiles";
  const launch_grid grid{tiles_of(to), block_threads, tile_bytes_of(to.of_rows.how.format.size())};
  const status fits = fits_grid(grid.blocks);
  if (!fits.is_done()) return fits;
  const status allowed = allow_shared_memory(tiled_blocks_kernel, name, largest_tile_bytes);
  return allowed.is_done() ? launched_on(grid, on, name, tiled_blocks_kernel, to) : allowed;
}

template <number_type Type>
status launch_rows(const mxfp4_rows_arguments& to, stream on) {
  const std::int64_t grid = blocks_for(static_cast<std::int64_t>(to.pieces), mxfp4_rows_pieces);
  return launched_on({grid, mxfp4_rows_threads}, on, "quantize_mxfp4_rows", rows_kernel<Type>, to);
}

template <number_type Type>
status launch_tiles(const mxfp4_tiles_arguments& to, stream on) {
  return launched_on({tiles_of(to), tile_threads}, on, "quantize_mxfp4_tiles", tiles_kernel<Type>,
                     to);
}

status quantize_rectangles(const quantize_request& r, stream on) {
  if (r.rows.codes != nullptr) {
    const status rows = launch_rectangles(row_blocks_of(r), on);
    if (!rows.is_done() || r.columns.codes == nullptr) return rows;
  }
  return launch_rectangles(column_blocks_of(r), on);
}

template <number_type Type>
status quantize_typed(const quantize_request& r, stream on) {
  if (takes_rows_kernel(r)) return launch_rows<Type>(rows_arguments_of(r), on);
  if (takes_tiles_kernel(r)) return launch_tiles<Type>(tiles_arguments_of(r), on);
  if (is_of_rectangles(r.how.format())) return quantize_rectangles(r, on);
  if (r.columns.codes != nullptr) return launch(block_tiles_of(r), on);
  return launch(row_blocks_of(r), on);
}

}  // namespace

status quantize(const quantize_request& r, stream on) {
  const status answer = checked(r);
  if (!answer.is_done() || r.shape.rows == 0 || r.shape.columns == 0) return answer;
  const status device = usable_device();
  if (!device.is_done()) return device;
  status wide;
  const bool is_wide = with_wide_coder(r, [&](const auto& coder) {
    wide = launch_wide(r.input, row_pieces_of(r), unchanged{}, coder, on);
  });
  const bool is_tiled = with_tile_coder(r, [&](const auto& coder) {
    const tiled_matrix to = tiled_matrix_of(r);
    wide = launch_wide_tiles(r.input, to, tiles_of(to), coder, on);
  });
  if (is_wide || is_tiled) return wide;
  return launched_for(r.input, [&]<number_type Type>() { return quantize_typed<Type>(r, on); });
}

}  // namespace mx::kernels
