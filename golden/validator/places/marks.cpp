// SPDX-License-Identifier: Apache-2.0
// golden/validator/places/marks.cpp: collects the places of differences.
#include "marks.h"

#include <algorithm>

namespace golden::validator {
namespace {

/// Rows of the matrix whose columns are the last axis.
std::uint64_t rows_of(std::uint64_t places, std::uint64_t columns) {
  return columns == 0 ? 0 : places / columns;
}

/// Codes of a block that may be of elements: a tensor shorter than a block has no others.
std::uint64_t positions_in(const geometry& g) {
  if (g.rows() > 1) return g.rows() * g.columns();
  return std::min(g.columns(), g.shape().length);
}

/// Whether tiles of the layout are of 128 of all rows; of several matrices each begins with one.
bool has_tiles_128x4(mx::scale_layout layout, std::uint64_t rows_a_matrix) {
  using enum mx::scale_layout;
  const bool tiles = layout == blocked_128x4 || layout == blocked_128x4_triton;
  return tiles && rows_a_matrix % 128 == 0;
}

}  // namespace

marks::marks(const prediction& p, difference_mask mask)
    : g_(p.where()),
      is_across_(p.kernel().axis == 0),
      row_length_(p.of().elements() == 0 ? 0 : p.of().shape.back()),
      rows_a_matrix_(p.of().shape.size() > 2 ? p.of().shape[p.of().shape.size() - 2] : 0),
      grid_columns_(is_across_ && row_length_ > 0 ? g_.blocks_along() : row_length_),
      is_tiled_(has_tiles_128x4(p.kernel().recipe.layout, rows_a_matrix_)),
      codes_(rows_of(p.of().elements(), row_length_), row_length_),
      scales_(rows_of(g_.blocks(), grid_columns_), grid_columns_),
      above_(codes_.rows.extent(), row_length_),
      elements_(codes_.rows.extent(), row_length_),
      positions_(positions_in(g_)),
      mask_(mask) {}

void marks::add_element(std::uint64_t element) {
  elements_.rows.mark(element / row_length_);
  elements_.columns.mark(element % row_length_);
}

template <class Work>
void marks::for_elements(std::uint64_t block, const Work& work) const {
  const block_place at = g_.place(block);
  for_codes(g_, at, [&](std::uint64_t, std::uint64_t row, std::uint64_t position) {
    if (position < g_.shape().length) work(g_.value_at(at, row, position));
  });
}

void marks::add_code(const block_place& at, std::uint64_t row, std::uint64_t position) {
  if (position >= g_.shape().length) {
    padding_.fetch_add(1, std::memory_order_relaxed);
    // It belongs to the end of its line; corrections have blocks of padding alone.
    add_element(g_.value_at(at, row, g_.shape().length - 1));
    return;
  }
  const std::uint64_t element = g_.value_at(at, row, position);
  codes_.rows.mark(element / row_length_);
  codes_.columns.mark(element % row_length_);
  positions_.mark(row * g_.columns() + position - at.along * g_.columns());
  add_element(element);
  if (!mask_.codes.empty()) mask_.codes[element] = 1;
}

void marks::add_scale(std::uint64_t block) {
  scales_.rows.mark(block / grid_columns_);
  scales_.columns.mark(block % grid_columns_);
  for_elements(block, [this](std::uint64_t element) { add_element(element); });
  if (!mask_.scales.empty()) mask_.scales[block] = 1;
}

void marks::add_above(std::uint64_t block) {
  for_elements(block, [this](std::uint64_t element) {
    above_.rows.mark(element / row_length_);
    above_.columns.mark(element % row_length_);
    add_element(element);
  });
}

void marks::add_everything() {
  for (std::uint64_t row = 0; row < elements_.rows.extent(); ++row) elements_.rows.mark(row);
  for (std::uint64_t column = 0; column < row_length_; ++column) elements_.columns.mark(column);
}

matrix_places marks::of(const matrix& m, std::uint64_t count) const {
  std::vector<std::uint64_t> periods;
  for (std::uint64_t period = 2; period <= 256; period *= 2) periods.push_back(period);
  periods.push_back(g_.columns());
  std::vector<std::uint64_t> of_rows = periods;
  if (rows_a_matrix_ > 0) of_rows.push_back(rows_a_matrix_);
  return {count, places_of(m.rows, of_rows), places_of(m.columns, periods)};
}

places marks::found(const counts& n) const {
  places all;
  all.blocks = n.blocks;
  all.padding = padding_;
  all.codes = of(codes_, n.codes - padding_);
  all.scales = of(scales_, n.scales);
  all.above = of(above_, n.above);
  all.elements = of(elements_, 0);
  all.positions = places_of(positions_, {});
  all.block_rows = g_.rows();
  all.block_columns = g_.columns();
  all.is_across = is_across_;
  all.is_tiled = is_tiled_;
  return all;
}

}  // namespace golden::validator
