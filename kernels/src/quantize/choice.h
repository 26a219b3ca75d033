// SPDX-License-Identifier: Apache-2.0
// kernels/src/quantize/choice.h: selects the kernel of a request and its arguments; plain C++, so
// that the tests dispatch to the bodies as a device does.
#pragma once
#include "mx/kernels/quantize.h"
#include "quantize/block_tiles.h"
#include "quantize/mxfp4_tiles.h"
#include "quantize/nearest_nvfp4.h"
#include "quantize/rectangle.h"
#include "quantize/stochastic_mxfp4.h"
#include "quantize/wide_tiles.h"
#include "requests.h"

namespace mx::kernels {

/// Whether an address is a multiple of `bytes`; null is.
[[nodiscard]] inline bool is_aligned(const void* pointer, int bytes) noexcept {
  return reinterpret_cast<std::uintptr_t>(pointer) % static_cast<std::uintptr_t>(bytes) == 0;
}

/// Rows of numbers as kernels load or store them.
struct strided_rows {
  const void* first = nullptr;
  number_type type = number_type::fp32;
  std::int64_t columns = 0, stride = 0;  ///< elements; a stride of 0 is dense

  [[nodiscard]] std::int64_t gap_bytes() const noexcept {
    return (stride_of(stride, columns) - columns) * static_cast<std::int64_t>(bytes_of(type));
  }
  /// Whether every row begins at a multiple of 16 bytes.
  ///   columns  whole pieces
  [[nodiscard]] bool is_aligned_for_pieces() const noexcept {
    return is_aligned(first, 16) && gap_bytes() % 16 == 0;
  }
  ///   rows  aligned for pieces
  [[nodiscard]] row_gaps gaps(std::int64_t rows) const noexcept {
    const auto pieces = static_cast<std::uint64_t>(columns / piece_elements);
    if (gap_bytes() == 0 || pieces == 0) return {};
    return {static_cast<std::uint64_t>(gap_bytes() / 16),
            {pieces, static_cast<std::uint64_t>(rows) * pieces}};
  }
};
[[nodiscard]] inline strided_rows x_rows_of(const quantize_request& r) noexcept {
  return {r.x, r.input, r.shape.columns, r.x_stride};
}
[[nodiscard]] inline piece_source source_of(const strided_rows& x, std::int64_t rows) noexcept {
  return {x.first, x.gaps(rows)};
}

/// MXFP4 by a power-of-two rule, ties to even: what the pairs kernels compute.
[[nodiscard]] inline bool is_plain_mxfp4(const quantization& how) noexcept {
  return how.format == block_formats::mxfp4 && is_power_of_two_rule(how.rule) &&
         how.rounding == rounding::ties_to_even;
}

/// MXFP4 by a power-of-two rule, with at most 8 random bits an element, none across bytes.
[[nodiscard]] inline bool is_stochastic_mxfp4(const quantization& how) noexcept {
  return how.format == block_formats::mxfp4 && is_power_of_two_rule(how.rule) &&
         how.rounding == rounding::stochastic && how.random.bits <= 8;
}

/// NVFP4 by the rule that divides amax, ties to even.
[[nodiscard]] inline bool is_nearest_nvfp4(const quantization& how) noexcept {
  return how.format == block_formats::nvfp4 && how.rule == scale_rule::ideal &&
         how.rounding == rounding::ties_to_even;
}

/// Rows only, of whole blocks, aligned for loads and stores of pieces.
[[nodiscard]] inline bool has_row_pieces(const quantize_request& r) noexcept {
  return r.columns.codes == nullptr && r.shape.columns % r.how.format().size() == 0 &&
         x_rows_of(r).is_aligned_for_pieces() && is_aligned(r.rows.codes, 4);
}
[[nodiscard]] inline bool takes_rows_kernel(const quantize_request& r) noexcept {
  return is_plain_mxfp4(r.how.rules) && has_row_pieces(r);
}

[[nodiscard]] inline stochastic_mxfp4 stochastic_coder_of(const quantization& how) noexcept {
  return {scale_step_of(how.rule), how.random, random_dealing_of(how.random)};
}

/// Calls use(coder) with the piece coder of a format and rounding other than MXFP4 to nearest, if
/// there is one.
template <class Use>
[[nodiscard]] bool with_coder(const quantize_request& r, const Use& use) {
  if (is_stochastic_mxfp4(r.how.rules)) {
    use(stochastic_coder_of(r.how.rules));
    return true;
  }
  if (is_nearest_nvfp4(r.how.rules)) {
    use(nearest_nvfp4{r.how.format(), r.tensor_scale});
    return true;
  }
  return false;
}

/// Calls use(coder) with the piece coder that the rows kernel does not include, if there is
/// one.
template <class Use>
[[nodiscard]] bool with_wide_coder(const quantize_request& r, const Use& use) {
  return has_row_pieces(r) && with_coder(r, use);
}

/// Columns of whole blocks, and rows too if requested, aligned for loads and stores of pieces.
[[nodiscard]] inline bool has_tile_pieces(const quantize_request& r) noexcept {
  const int size = r.how.format().size();
  return r.columns.codes != nullptr && r.shape.rows % size == 0 && r.shape.columns % size == 0 &&
         x_rows_of(r).is_aligned_for_pieces() && is_aligned(r.rows.codes, 4) &&
         is_aligned(r.columns.codes, 4);
}

/// The same for tiles.
template <class Use>
[[nodiscard]] bool with_tile_coder(const quantize_request& r, const Use& use) {
  return has_tile_pieces(r) && with_coder(r, use);
}

[[nodiscard]] inline bool takes_tiles_kernel(const quantize_request& r) noexcept {
  return is_plain_mxfp4(r.how.rules) && has_tile_pieces(r) && is_aligned(r.columns.codes, 16);
}

[[nodiscard]] inline scale_place_of place_of(const quantize_request& r, std::int64_t lines,
                                             std::int64_t length) noexcept {
  const coded_size size = size_of(r.how.format(), r.how.layout, lines, length);
  return {r.how.layout, static_cast<std::uint64_t>(size.lines_of_blocks),
          static_cast<std::uint64_t>(size.blocks_a_line)};
}

[[nodiscard]] inline row_pieces row_pieces_of(const quantize_request& r) noexcept {
  return {source_of(x_rows_of(r), r.shape.rows),
          static_cast<std::uint64_t>(r.shape.rows * r.shape.columns / piece_elements),
          place_of(r, r.shape.rows, r.shape.columns), static_cast<std::uint32_t*>(r.rows.codes),
          static_cast<std::uint8_t*>(r.rows.scales)};
}

[[nodiscard]] inline mxfp4_rows_arguments rows_arguments_of(const quantize_request& r) noexcept {
  return {row_pieces_of(r), scale_step_of(r.how.rules.rule)};
}

[[nodiscard]] inline tiled_matrix tiled_matrix_of(const quantize_request& r) noexcept {
  const auto lines = [&r](const coded_lines& to, std::int64_t count, std::int64_t length) {
    return piece_lines{place_of(r, count, length), static_cast<std::uint32_t*>(to.codes),
                       static_cast<std::uint8_t*>(to.scales)};
  };
  return {source_of(x_rows_of(r), r.shape.rows), static_cast<std::uint64_t>(r.shape.rows),
          static_cast<std::uint64_t>(r.shape.columns), lines(r.rows, r.shape.rows, r.shape.columns),
          lines(r.columns, r.shape.columns, r.shape.rows)};
}

[[nodiscard]] inline mxfp4_tiles_arguments tiles_arguments_of(const quantize_request& r) noexcept {
  return {tiled_matrix_of(r), scale_step_of(r.how.rules.rule)};
}

[[nodiscard]] inline std::int64_t tiles_of(const tiled_matrix& to) noexcept {
  return static_cast<std::int64_t>(tiles_along(to.rows, wide_tile_side) *
                                   tiles_along(to.columns, wide_tile_side));
}

[[nodiscard]] inline std::int64_t tiles_of(const mxfp4_tiles_arguments& to) noexcept {
  return static_cast<std::int64_t>(tiles_along(to.rows, tile_rows) *
                                   tiles_along(to.columns, tile_columns));
}

[[nodiscard]] inline blocks_arguments blocks_of(const quantize_request& r, const matrix_lines& from,
                                                const coded_lines& to) noexcept {
  const auto lines = static_cast<std::int64_t>(from.lines);
  const auto length = static_cast<std::int64_t>(from.length);
  const coded_size size = size_of(r.how.format(), r.how.layout, lines, length);
  return {r.how.rules,
          from,
          r.how.format().has_tensor_scale() ? r.tensor_scale : nullptr,
          place_of(r, lines, length),
          static_cast<std::uint8_t*>(to.codes),
          static_cast<std::uint8_t*>(to.scales),
          static_cast<std::uint64_t>(size.line_bytes)};
}

/// Elements between rows.
[[nodiscard]] inline std::uint64_t row_step_of(const strided_rows& of) noexcept {
  return static_cast<std::uint64_t>(stride_of(of.stride, of.columns));
}

[[nodiscard]] inline blocks_arguments row_blocks_of(const quantize_request& r) noexcept {
  const auto rows = static_cast<std::uint64_t>(r.shape.rows);
  const auto columns = static_cast<std::uint64_t>(r.shape.columns);
  return blocks_of(r, {r.x, r.input, rows, columns, 1, row_step_of(x_rows_of(r))}, r.rows);
}

[[nodiscard]] inline blocks_arguments column_blocks_of(const quantize_request& r) noexcept {
  const auto rows = static_cast<std::uint64_t>(r.shape.rows);
  const auto columns = static_cast<std::uint64_t>(r.shape.columns);
  return blocks_of(r, {r.x, r.input, columns, rows, row_step_of(x_rows_of(r)), 1}, r.columns);
}

/// Columns of any shape and alignment, and rows too if requested.
[[nodiscard]] inline block_tiles_arguments block_tiles_of(const quantize_request& r) noexcept {
  return {row_blocks_of(r), column_blocks_of(r)};
}

[[nodiscard]] inline std::int64_t tiles_of(const block_tiles_arguments& to) noexcept {
  const int side = tile_side_of(to.of_rows.how.format.size());
  return static_cast<std::int64_t>(tiles_along(to.of_rows.from.lines, side) *
                                   tiles_along(to.of_columns.from.lines, side));
}

}  // namespace mx::kernels
