// SPDX-License-Identifier: Apache-2.0
// golden/validator/tensor/geometry.cpp: the elements of a block, and where its bytes are stored.
#include "geometry.h"

#include <algorithm>
#include <cstdlib>

#include "whole_arrays.h"

namespace golden::validator {
namespace {

std::uint64_t divided_up(std::uint64_t a, std::uint64_t b) { return a / b + (a % b != 0 ? 1 : 0); }

mx::blocked_shape shape_along(const std::vector<std::uint64_t>& values, std::size_t axis,
                              bool tiles) {
  mx::blocked_shape shape;
  shape.length = values[axis];
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (k == axis) continue;
    const bool row = tiles && k + 1 == axis;
    (k > axis ? shape.inner : row ? shape.rows : shape.outer) *= values[k];
  }
  return shape;
}

/// Whether the rows of every matrix can be stored in another order: whole groups of them, each with
/// blocks of its own at their places.
bool has_rows_to_order(const hypothesis& r, const subject& s) {
  if (s.shape.size() < 2 || r.axis != 0 || r.format().rows > 1 || is_of_whole(r) ||
      r.order != stored_order::as_input || r.placement.motion != scale_motion::none) {
    return false;
  }
  const std::uint64_t rows = s.shape[s.shape.size() - 2];
  const bool halves = r.rows.halves == row_halves::apart || rows % 2 == 0;
  const bool groups = r.rows.shuffled == 0 || rows % std::uint64_t(r.rows.shuffled) == 0;
  return halves && groups;
}

/// Where a row of a matrix is stored.
std::uint64_t stored_row(const row_order& order, std::uint64_t row, std::uint64_t rows) {
  const std::uint64_t half = rows / 2;
  if (order.halves == row_halves::interleaved) {
    row = row < half ? 2 * row : 2 * (row - half) + 1;
  } else if (order.halves == row_halves::separated) {
    row = row / 2 + row % 2 * half;
  }
  if (order.shuffled == 0) return row;
  const auto group = static_cast<std::uint64_t>(order.shuffled), turns = group / 8;
  const std::uint64_t in_group = row % group;
  return row - in_group + in_group % turns * 8 + in_group / turns;
}

}  // namespace

std::optional<geometry> geometry::of(const hypothesis& r, const subject& s) {
  const mx::block_format& f = r.format();
  const bool tiles = f.rows > 1;
  if (r.axis >= s.shape.size()) return {};
  if (mx::storage_refusal_of(r.recipe) == mx::recipe_refusal::dense_codes) return {};
  if (tiles && (r.axis != 0 || s.shape.size() < 2)) return {};
  if (tiles && r.order != stored_order::as_input) return {};
  if (!r.rows.is_of_input() && !has_rows_to_order(r, s)) return {};
  geometry g;
  g.shape_ = shape_along(s.shape, s.shape.size() - 1 - r.axis, tiles);
  g.order_ = r.order;
  g.rows_order_ = r.rows;
  g.codes_moved_ = r.codes_moved;
  g.placement_ = r.placement;
  g.layout_ = r.recipe.layout;
  g.rows_ = static_cast<std::uint64_t>(f.rows);
  g.columns_ = static_cast<std::uint64_t>(f.columns);
  g.row_blocks_ = divided_up(g.shape_.rows, g.rows_);
  mx::blocked_shape padded = g.shape_;
  if (is_of_whole(r) && !g.pad(r, axes_of(r, s), padded.length)) return {};
  const mx::blocked_sizes sizes = mx::sizes_of(f, padded, r.recipe.codes.packing);
  g.along_ = sizes.blocks_along;
  g.lay_out_codes(r.recipe, padded, sizes);
  g.blocks_ = sizes.blocks;
  g.bytes_a_scale_ = sizes.bytes_a_scale;
  g.lay_out_scales(r, s);
  const bool arranged = r.recipe.layout != mx::scale_layout::linear;
  const bool matrix = r.axis == 0 || r.order == stored_order::axis_last;
  if (arranged && (!matrix || g.bytes_a_scale_ != 1)) return {};
  // A tensor without elements may have lines beyond every size.
  const bool counts = arranged || s.elements() > 0;
  if (counts && !mx::has_size(r.recipe.layout, g.grid_rows_, g.grid_columns_)) return {};
  return g;
}

/// Takes over what corrections add to a tensor.
///   length   of the axis, set to that with padding
///   returns  false where the recipe does not accept it
bool geometry::pad(const hypothesis& r, const mx::tensor_axes& axes, std::uint64_t& length) {
  const bool accepted = mx::refusal_of(r.recipe, axes) == mx::tensor_refusal::none &&
                        mx::storage_refusal_of(r.recipe, axes) == mx::tensor_refusal::none;
  if (!accepted) return false;
  const mx::coded_shape whole = mx::coded_shape_of(r.recipe, axes);
  length = whole.padded.length;
  fraction_bytes_ = whole.macro_fractions.bytes();
  has_residual_ = r.recipe.corrections.has_residual();
  return true;
}

void geometry::lay_out_codes(const mx::recipe& r, const mx::blocked_shape& padded,
                             const mx::blocked_sizes& sizes) {
  halved_ = r.has_pairs();
  dense_ = r.is_dense();
  packing_ = {r.codes.nibbles, r.codes.nibbles == mx::nibble_order::split_half ? columns_ : 2};
  stored_along_ = sizes.code_bytes_along;
  code_bytes_ = sizes.code_bytes;
  if (!dense_) return;
  stored_along_ = mx::six_bits::bytes(sizes.code_bytes_along);
  code_bytes_ = padded.outer * padded.rows * stored_along_ * padded.inner;
}

void geometry::lay_out_scales(const hypothesis& r, const subject& s) {
  switch (order_) {
    case stored_order::as_input: {
      const bool last = r.axis == 0;
      const bool second = r.axis == 1;
      grid_columns_ = last ? along_ : s.shape.back();
      if (s.shape.size() >= 2) {
        const std::uint64_t above = s.shape[s.shape.size() - 2];
        grid_rows_ = second ? along_ : divided_up(above, rows_);
      }
      break;
    }
    case stored_order::axis_last:
      grid_columns_ = along_;
      grid_rows_ = shape_.inner > 1 ? shape_.inner : shape_.outer * row_blocks_;
      break;
    case stored_order::axis_first:
      grid_columns_ = vectors();
      grid_rows_ = along_;
      break;
  }
  const std::uint64_t matrix = grid_rows_ * grid_columns_;
  grid_count_ = matrix == 0 ? 0 : blocks_ / matrix;
  const std::uint64_t size = placement_.motion == scale_motion::transposed
                                 ? mx::size(layout_, grid_columns_, grid_rows_)
                                 : mx::size(layout_, grid_rows_, grid_columns_);
  scale_bytes_ = grid_count_ * size * bytes_a_scale_;
}

block_place geometry::place(std::uint64_t block) const {
  const std::uint64_t inner = block % shape_.inner, before = block / shape_.inner;
  const std::uint64_t tile_row = before / along_;
  return {tile_row / row_blocks_, tile_row % row_blocks_ * rows_, before % along_, inner};
}

std::uint64_t geometry::number_without_padding(const block_place& p) const {
  const std::uint64_t tile_row = p.outer * row_blocks_ + p.row / rows_;
  return (tile_row * divided_up(shape_.length, columns_) + p.along) * shape_.inner + p.inner;
}

std::uint64_t geometry::block_of(std::uint64_t element) const {
  const std::uint64_t inner = element % shape_.inner, before = element / shape_.inner;
  const std::uint64_t along = before % shape_.length / columns_, line = before / shape_.length;
  const std::uint64_t tile_row = line / shape_.rows * row_blocks_ + line % shape_.rows / rows_;
  return (tile_row * along_ + along) * shape_.inner + inner;
}

std::uint64_t geometry::stored_line(std::uint64_t line) const {
  const std::uint64_t row = line % grid_rows_;
  return line - row + stored_row(rows_order_, row, grid_rows_);
}

std::uint64_t geometry::code_byte(const block_place& p, std::uint64_t line,
                                  std::uint64_t byte) const {
  switch (order_) {
    case stored_order::as_input:
      if (!rows_order_.is_of_input() && rows_order_.reaches_codes()) line = stored_line(line);
      break;
    case stored_order::axis_last:
      return (line * shape_.inner + p.inner) * stored_along_ + byte;
    case stored_order::axis_first:
      return byte * vectors() + line * shape_.inner + p.inner;
  }
  return (line * stored_along_ + byte) * shape_.inner + p.inner;
}

std::uint64_t geometry::moved(std::uint64_t position) const {
  if (codes_moved_ == 0) return position;
  const auto length = static_cast<std::int64_t>(along_ * columns_);
  const std::int64_t to = static_cast<std::int64_t>(position) + codes_moved_;
  return static_cast<std::uint64_t>((to % length + length) % length);
}

stored_code geometry::code_at(const block_place& p, std::uint64_t row,
                              std::uint64_t position) const {
  const std::uint64_t line = p.outer * shape_.rows + p.row + row;
  position = moved(position);
  mx::code_place at{position, 0};
  if (halved_) at = packing_.place(position);
  if (dense_) at = mx::six_bits::place(position);
  return {code_byte(p, line, at.byte), at.shift, halved_ ? 4 : (dense_ ? 6 : 8),
          code_byte(p, line, at.byte + 1)};
}

std::uint64_t geometry::stored_index(std::uint64_t block) const {
  if (order_ == stored_order::as_input) {
    if (rows_order_.is_of_input() || !rows_order_.reaches_scales()) return block;
    return stored_line(block / along_) * along_ + block % along_;
  }
  const block_place p = place(block);
  const bool last = order_ == stored_order::axis_last;
  return last ? vector_of(p) * along_ + p.along : p.along * vectors() + vector_of(p);
}

std::uint64_t geometry::block_stored_at(std::uint64_t stored) const {
  if (order_ == stored_order::as_input) return stored;
  const bool last = order_ == stored_order::axis_last;
  const std::uint64_t vector = last ? stored / along_ : stored % vectors();
  const std::uint64_t along = last ? stored % along_ : stored / vectors();
  return (vector / shape_.inner * along_ + along) * shape_.inner + vector % shape_.inner;
}

grid_place geometry::grid_of(std::uint64_t stored) const {
  return {stored / grid_columns_ / grid_rows_, stored / grid_columns_ % grid_rows_,
          stored % grid_columns_};
}

std::uint64_t geometry::scale_at(std::uint64_t block) const {
  const std::uint64_t stored = stored_index(block);
  const bool transposed = placement_.motion == scale_motion::transposed;
  if (layout_ == mx::scale_layout::linear && !transposed) return stored * bytes_a_scale_;
  const grid_place at = grid_of(stored);
  const std::uint64_t rows = transposed ? grid_columns_ : grid_rows_;
  const std::uint64_t columns = transposed ? grid_rows_ : grid_columns_;
  const std::uint64_t offset = transposed ? mx::offset(layout_, rows, columns, at.column, at.row)
                                          : mx::offset(layout_, rows, columns, at.row, at.column);
  return (at.matrix * mx::size(layout_, rows, columns) + offset) * bytes_a_scale_;
}

std::uint64_t geometry::motion_extent() const {
  if (placement_.motion == scale_motion::along) return grid_columns_;
  return placement_.motion == scale_motion::across ? grid_rows_ : blocks_;
}

bool geometry::keeps_scales() const {
  const auto shifted = static_cast<std::uint64_t>(std::abs(placement_.by));
  return placement_.end != motion_end::zeros || shifted < motion_extent();
}

std::optional<std::uint64_t> geometry::scale_source(std::uint64_t block) const {
  if (placement_.motion == scale_motion::none || placement_.motion == scale_motion::transposed) {
    return block;
  }
  const std::uint64_t stored = stored_index(block);
  const grid_place at = grid_of(stored);
  if (placement_.motion == scale_motion::exchanged) {
    const std::uint64_t column = at.column ^ static_cast<std::uint64_t>(placement_.by);
    return block_stored_at(stored - at.column + (column < grid_columns_ ? column : at.column));
  }
  if (placement_.motion == scale_motion::spread) {
    return block_stored_at(stored - at.column % static_cast<std::uint64_t>(placement_.by));
  }
  const bool across = placement_.motion == scale_motion::across;
  const bool flat = placement_.motion == scale_motion::flat;
  const std::uint64_t index = flat ? stored : (across ? at.row : at.column);
  const std::uint64_t step = across ? grid_columns_ : 1;
  const auto from = static_cast<std::int64_t>(index) - placement_.by;
  const auto end = static_cast<std::int64_t>(motion_extent());
  std::int64_t source = (from % end + end) % end;
  if (from != source && placement_.end == motion_end::zeros) return {};
  if (placement_.end == motion_end::repeated) source = std::clamp<std::int64_t>(from, 0, end - 1);
  return block_stored_at(stored - index * step + static_cast<std::uint64_t>(source) * step);
}

std::uint32_t scale_in(byte_span scales, const geometry& g, std::uint64_t at) {
  std::uint32_t code = 0;
  for (std::uint64_t k = 0; k < g.bytes_a_scale(); ++k) {
    code |= std::uint32_t{scales[at + k]} << (8 * k);
  }
  return code;
}

bool fits(const geometry& g, const subject& s) {
  const auto have_sizes = [&](byte_span codes, byte_span scales, byte_span fractions) {
    return g.code_bytes() == codes.size() && g.scale_bytes() == scales.size() &&
           (g.fraction_bytes() == 0 || g.fraction_bytes() == fractions.size());
  };
  const residual_bytes& residual = s.residual;
  return have_sizes(s.codes, s.scales, s.macro_fractions) &&
         (!g.has_residual() ||
          have_sizes(residual.codes, residual.scales, residual.macro_fractions));
}

std::optional<geometry> fitting(const hypothesis& r, const subject& s) {
  std::optional<geometry> g = geometry::of(r, s);
  return g && fits(*g, s) ? g : std::nullopt;
}

bool fits_all(const hypothesis& r, std::span<const subject> subjects) {
  return std::all_of(subjects.begin(), subjects.end(),
                     [&](const subject& s) { return fitting(r, s).has_value(); });
}

mx::code_order order_of_codes(const hypothesis& r, const subject& s) {
  for (const mx::code_order& order : mx::orders_by_size(r.recipe)) {
    hypothesis stored = r;
    stored.recipe.codes = order;
    const std::optional<geometry> g = geometry::of(stored, s);
    if (g && g->code_bytes() == s.codes.size()) return order;
  }
  return r.recipe.codes;
}

}  // namespace golden::validator
