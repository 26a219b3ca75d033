// SPDX-License-Identifier: Apache-2.0
// kernels/src/quantize/scale_place.h: the offset of a block's scale in any layout, by shifts, and
// the line of a block by a multiplication: a launch divides once, on the CPU, no thread does.
// Equals mx::offset (tests/kernels/quantize/scale_place_test.cpp).
#pragma once
#include "mx/number/bits.h"
#include "mx/tensor/layout.h"

namespace mx::kernels {

/// Division by a number that is the same in all threads.
///   reciprocal  2^64 / divisor, rounded up; 0: divide
///
/// With r = (2^64 + e) / d, 0 <= e < d, n r / 2^64 exceeds n / d by n e / (2^64 d): by less than
/// 1 / d, and so reaches no further integer, where n e < 2^64. r <= 2^63, and numbers are below
/// 2^64 / d.
struct shared_divisor {
  std::uint64_t divisor = 1, reciprocal = 0;

  constexpr shared_divisor() noexcept = default;
  ///   below  exclusive bound of all numbers that are divided
  constexpr shared_divisor(std::uint64_t by, std::uint64_t below) noexcept : divisor(by) {
    if (by > 1 && below < ~std::uint64_t{0} / by) reciprocal = ~std::uint64_t{0} / by + 1;
  }

  [[nodiscard]] MX_HD constexpr std::uint64_t of(std::uint64_t number) const noexcept {
    if (reciprocal == 0) return number / divisor;
    return static_cast<std::uint64_t>(static_cast<wide_integer>(number) * reciprocal >> 64);
  }
};

/// The contribution of an index to the offset: tiles and both digits within a tile, powers of two.
struct axis_place {
  std::uint64_t tile_step = 1;
  std::uint32_t tile_bits = 0, low_bits = 0, low_stride = 0, high_stride = 0;

  constexpr axis_place() noexcept = default;
  constexpr axis_place(const layout_axis& axis, std::uint64_t step) noexcept
      : tile_step(step),
        tile_bits(bits_below(axis.extent())),
        low_bits(bits_below(axis.low.extent)),
        low_stride(static_cast<std::uint32_t>(axis.low.stride)),
        high_stride(static_cast<std::uint32_t>(axis.high.stride)) {}

  [[nodiscard]] MX_HD constexpr std::uint64_t of(std::uint64_t index) const noexcept {
    const std::uint32_t within = static_cast<std::uint32_t>(index) & ((1U << tile_bits) - 1);
    const std::uint32_t low = within & ((1U << low_bits) - 1), high = within >> low_bits;
    return (index >> tile_bits) * tile_step + (low * low_stride + high * high_stride);
  }

 private:
  static constexpr std::uint32_t bits_below(std::uint64_t extent) noexcept {
    return static_cast<std::uint32_t>(bit_width(extent) - 1);
  }
};

/// The offset of a block's scale, for blocks in the order of the matrix.
struct scale_place_of {
  scale_layout layout = scale_layout::linear;
  std::uint64_t lines = 0, blocks_a_line = 0;
  shared_divisor line_of;
  axis_place line_place, block_place;

  constexpr scale_place_of() noexcept = default;
  constexpr scale_place_of(scale_layout in, std::uint64_t rows, std::uint64_t columns) noexcept
      : layout(in), lines(rows), blocks_a_line(columns) {
    if (columns == 0) return;
    const scale_tiling t = tiling_of(in);
    const std::uint64_t in_line = tiles_in_line(t, rows, columns) * t.tile_size();
    const bool down = t.order == tile_order::row_by_row;
    line_of = {columns, rows * columns};
    line_place = {t.rows, down ? in_line : t.tile_size()};
    block_place = {t.columns, down ? t.tile_size() : in_line};
  }

  /// For block `along` of a line.
  [[nodiscard]] MX_HD constexpr std::uint64_t at(std::uint64_t line,
                                                 std::uint64_t along) const noexcept {
    return line_place.of(line) + block_place.of(along);
  }
  [[nodiscard]] MX_HD constexpr std::uint64_t operator()(std::uint64_t block) const noexcept {
    if (layout == scale_layout::linear) return block;
    const std::uint64_t line = line_of.of(block);
    return at(line, block - line * blocks_a_line);
  }
};

}  // namespace mx::kernels
