// SPDX-License-Identifier: Apache-2.0
// mx/tensor/layout.h: positions of the scales of a matrix in memory: index maps and their inverses.
// Source: of each layout in scale_layout_table; the notation is CuTe's extent : stride.
#pragma once
#include <array>
#include <cstdint>
#include <string_view>

#include "mx/number/config.h"

namespace mx {

/// A matrix of scales has a row for each row of elements and a column for each block along K. One
/// scale is one byte. Each batch, and each group of a grouped product, is a matrix of its own;
/// scales of blocks along the other axis form the transposed matrix.
enum class scale_layout : std::uint8_t {
  linear,
  blocked_128x4,
  blocked_128x4_triton,
  blocked_8x4,
  interleaved_4x1,
  gfx950_32x8,
  gfx950_32x8_aiter,
  gfx950_32x8_mfma32,
  gfx1250,
  gfx1250_block16,
  packed_int32
};

/// Bytes that public code writes into the padding.
///   zeros        zero bytes, if it accepts such shapes at all
///   unspecified  zero bytes, other bytes or none, by version: compare the scales alone
enum class layout_padding : std::uint8_t { none, zeros, unspecified };

struct scale_layout_entry {
  scale_layout value;
  std::string_view name;  ///< on the command line
  layout_padding padding;
  std::string_view sentence, source;
};

inline constexpr std::array scale_layout_table{
    scale_layout_entry{scale_layout::linear, "linear", layout_padding::none,
                       "row by row, as quantize makes them", "hipBLASLt, Block_32_UE8M0"},
    scale_layout_entry{scale_layout::blocked_128x4, "128x4", layout_padding::zeros,
                       "tiles of 128 rows by 4: rows 32 apart beside each other",
                       "CUTLASS, sm100_blockscaled_layout.hpp; torchao, mx_formats/utils.py"},
    scale_layout_entry{scale_layout::blocked_128x4_triton, "128x4-triton", layout_padding::zeros,
                       "128x4 with the columns padded to 8",
                       "triton_kernels, layout_details/blackwell_scale.py"},
    scale_layout_entry{scale_layout::blocked_8x4, "8x4", layout_padding::zeros,
                       "tiles of 8 rows by 4, row by row",
                       "TensorRT-LLM and FlashInfer, get_sf_out_offset_8x4"},
    scale_layout_entry{scale_layout::interleaved_4x1, "v-cache-4x4", layout_padding::zeros,
                       "four rows (tokens of a page) beside each other, column by column: V "
                       "scales of an NVFP4 cache on sm_100, of multiples of 4 rows and columns",
                       "vLLM, nvfp4_kv_cache_kernels.cu, swizzle_scale_offset"},
    scale_layout_entry{scale_layout::gfx950_32x8, "gfx950-32x8", layout_padding::zeros,
                       "tiles of 32 rows by 8 in the order of 16x16x128 instructions",
                       "hipBLASLt, Block_32_UE8M0_32_8_EXT; ROCm host-numerics, Gfx950"},
    scale_layout_entry{scale_layout::gfx950_32x8_aiter, "gfx950-32x8-aiter",
                       layout_padding::unspecified, "gfx950-32x8 with the rows padded to 256",
                       "AITER, aiter/ops/shuffle.py, shuffle_scale"},
    scale_layout_entry{scale_layout::gfx950_32x8_mfma32, "gfx950-32x8-mfma32",
                       layout_padding::zeros,
                       "tiles of 32 rows by 8 in the order of 32x32x64 instructions",
                       "Triton, tutorials/10-block-scaled-matmul.py, shuffle_scales_cdna4"},
    scale_layout_entry{scale_layout::gfx1250, "gfx1250", layout_padding::zeros,
                       "four columns at a time, row by row: blocks of 32",
                       "ROCm host-numerics, Gfx1250"},
    scale_layout_entry{scale_layout::gfx1250_block16, "gfx1250-block16", layout_padding::zeros,
                       "eight columns at a time, row by row: blocks of 16",
                       "ROCm host-numerics, Gfx1250"},
    scale_layout_entry{scale_layout::packed_int32, "packed-int32", layout_padding::unspecified,
                       "four UE8M0 along K in a little-endian 32-bit word, words column by column, "
                       "rows padded to 4",
                       "DeepGEMM, impls/smxx_layout.cuh, transpose_and_pack_fp32_into_ue8m0"}};

/// A digit of an index and what one step of it adds to the offset.
struct layout_mode {
  std::uint64_t extent = 1, stride = 1;
};

/// An index within a tile as two digits, the low one first.
struct layout_axis {
  layout_mode low, high{};

  [[nodiscard]] MX_HD constexpr std::uint64_t extent() const noexcept {
    return low.extent * high.extent;
  }
  [[nodiscard]] MX_HD constexpr std::uint64_t offset_of(std::uint64_t index) const noexcept {
    return index % low.extent * low.stride + index / low.extent * high.stride;
  }
  [[nodiscard]] MX_HD constexpr std::uint64_t index_in(std::uint64_t offset) const noexcept {
    return offset / low.stride % low.extent + low.extent * (offset / high.stride % high.extent);
  }
};

/// Whether consecutive tiles proceed to the right or downward.
enum class tile_order : std::uint8_t { row_by_row, column_by_column };

/// A layout as tiles: (row, column) -> tile * size of a tile + rows.offset_of + columns.offset_of.
struct scale_tiling {
  tile_order order;
  std::uint64_t row_multiple, column_multiple;  ///< what rows and columns are padded to
  layout_axis rows, columns;

  [[nodiscard]] MX_HD constexpr std::uint64_t tile_size() const noexcept {
    return rows.extent() * columns.extent();
  }
};

[[nodiscard]] MX_HD constexpr scale_tiling tiling_of(scale_layout layout) noexcept {
  using enum tile_order;
  switch (layout) {
    case scale_layout::linear:
      break;
    case scale_layout::blocked_128x4:
      return {row_by_row, 128, 4, {{32, 16}, {4, 4}}, {{4, 1}}};
    case scale_layout::blocked_128x4_triton:
      return {row_by_row, 128, 8, {{32, 16}, {4, 4}}, {{4, 1}}};
    case scale_layout::blocked_8x4:
      return {row_by_row, 8, 4, {{8, 4}}, {{4, 1}}};
    case scale_layout::interleaved_4x1:
      return {row_by_row, 4, 1, {{4, 1}}, {{1, 1}}};
    case scale_layout::gfx950_32x8:
      return {row_by_row, 32, 8, {{16, 4}, {2, 1}}, {{4, 64}, {2, 2}}};
    case scale_layout::gfx950_32x8_aiter:
      return {row_by_row, 256, 8, {{16, 4}, {2, 1}}, {{4, 64}, {2, 2}}};
    case scale_layout::gfx950_32x8_mfma32:
      return {row_by_row, 32, 8, {{32, 4}}, {{2, 128}, {4, 1}}};
    case scale_layout::gfx1250:
      return {column_by_column, 1, 4, {{1, 4}}, {{4, 1}}};
    case scale_layout::gfx1250_block16:
      return {column_by_column, 1, 8, {{1, 8}}, {{8, 1}}};
    case scale_layout::packed_int32:
      return {column_by_column, 4, 4, {{1, 4}}, {{4, 1}}};
  }
  return {row_by_row, 1, 1, {{1, 1}}, {{1, 1}}};
}

/// The smallest multiple not below the value.
[[nodiscard]] MX_HD constexpr std::uint64_t padded_to(std::uint64_t multiple,
                                                      std::uint64_t value) noexcept {
  return value + (multiple - value % multiple) % multiple;
}

/// Whether the size is below 2^63. The functions below require it.
[[nodiscard]] MX_HD constexpr bool has_size(scale_layout layout, std::uint64_t rows,
                                            std::uint64_t columns) noexcept {
  constexpr std::uint64_t limit = (std::uint64_t{1} << 63) - 1;
  const scale_tiling t = tiling_of(layout);
  if (rows == 0 || columns == 0) return true;
  if (rows > limit - t.row_multiple || columns > limit - t.column_multiple) return false;
  return padded_to(t.row_multiple, rows) <= limit / padded_to(t.column_multiple, columns);
}

/// Bytes of a matrix of scales with its padding; 0 for an empty matrix.
[[nodiscard]] MX_HD constexpr std::uint64_t size(scale_layout layout, std::uint64_t rows,
                                                 std::uint64_t columns) noexcept {
  const scale_tiling t = tiling_of(layout);
  return padded_to(t.row_multiple, rows) * padded_to(t.column_multiple, columns);
}

/// Number of tiles in one line of tiles.
[[nodiscard]] MX_HD constexpr std::uint64_t tiles_in_line(const scale_tiling& t, std::uint64_t rows,
                                                          std::uint64_t columns) noexcept {
  return t.order == tile_order::row_by_row
             ? padded_to(t.column_multiple, columns) / t.columns.extent()
             : padded_to(t.row_multiple, rows) / t.rows.extent();
}

/// Byte of the scale at (row, column).
///   range  rows and columns of the padding are accepted
[[nodiscard]] MX_HD constexpr std::uint64_t offset(scale_layout layout, std::uint64_t rows,
                                                   std::uint64_t columns, std::uint64_t row,
                                                   std::uint64_t column) noexcept {
  const scale_tiling t = tiling_of(layout);
  const std::uint64_t in_line = tiles_in_line(t, rows, columns);
  const std::uint64_t below = row / t.rows.extent(), right = column / t.columns.extent();
  const std::uint64_t tile =
      t.order == tile_order::row_by_row ? below * in_line + right : right * in_line + below;
  return tile * t.tile_size() + t.rows.offset_of(row % t.rows.extent()) +
         t.columns.offset_of(column % t.columns.extent());
}

/// The scale stored in a byte; for padding, the position in the padded matrix.
struct scale_place {
  std::uint64_t row, column;
  bool is_padding;

  friend constexpr bool operator==(const scale_place&, const scale_place&) = default;
};

/// The inverse of offset.
///   range  at < size(layout, rows, columns)
[[nodiscard]] MX_HD constexpr scale_place place(scale_layout layout, std::uint64_t rows,
                                                std::uint64_t columns, std::uint64_t at) noexcept {
  const scale_tiling t = tiling_of(layout);
  const std::uint64_t in_line = tiles_in_line(t, rows, columns);
  const std::uint64_t tile = at / t.tile_size(), within = at % t.tile_size();
  const std::uint64_t line = tile / in_line, step = tile % in_line;
  const bool down = t.order == tile_order::row_by_row;
  const std::uint64_t row = (down ? line : step) * t.rows.extent() + t.rows.index_in(within);
  const std::uint64_t column =
      (down ? step : line) * t.columns.extent() + t.columns.index_in(within);
  return {row, column, row >= rows || column >= columns};
}

static_assert(size(scale_layout::blocked_128x4, 129, 5) == 2 * 2 * 512);
static_assert(offset(scale_layout::blocked_128x4, 129, 5, 33, 2) == 16 + 4 + 2);
static_assert(place(scale_layout::blocked_128x4, 129, 5, 22) == scale_place{33, 2, false});
static_assert(place(scale_layout::gfx1250, 2, 5, 9) == scale_place{0, 5, true});
static_assert(offset(scale_layout::packed_int32, 5, 8, 1, 6) == 8 * 4 + 4 + 2);
static_assert(size(scale_layout::gfx950_32x8, 0, 8) == 0);

}  // namespace mx
