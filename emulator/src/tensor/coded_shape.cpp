// SPDX-License-Identifier: Apache-2.0
// emulator/src/tensor/coded_shape.cpp: the geometry of coded tensors; products of sizes are
// checked.
#include "mx/tensor/coded_shape.h"

#include <algorithm>

namespace mx {
namespace {

/// The widest number of any array: FP32.
constexpr std::uint64_t widest = 4;

std::uint64_t quotient_up(std::uint64_t value, std::uint64_t by) {
  return value / by + (value % by != 0 ? 1 : 0);
}

/// a * b, or size_limit if the product is not below it.
std::uint64_t bounded_product(std::uint64_t a, std::uint64_t b) {
  return b != 0 && a >= size_limit / b ? size_limit : a * b;
}

bool is_empty(const tensor_axes& t) {
  return std::find(t.extents.begin(), t.extents.end(), 0) != t.extents.end();
}

bool is_countable(const recipe& r, const tensor_axes& t) {
  // An axis without elements is also padded to whole blocks, which must not overflow.
  const auto fits = [](std::uint64_t extent) { return extent < std::uint64_t{1} << 63; };
  if (is_empty(t)) return std::all_of(t.extents.begin(), t.extents.end(), fits);
  const auto columns = static_cast<std::uint64_t>(r.format().columns);
  const std::uint64_t span = r.is_corrected() ? columns * 128 : columns;  // whole rotations
  std::uint64_t size = widest;
  for (std::size_t k = 0; k < t.extents.size(); ++k) {
    const std::uint64_t padded = bounded_product(quotient_up(t.extents[k], span), span);
    size = bounded_product(size, k == t.axis ? padded : t.extents[k]);
  }
  return size < size_limit;
}

/// Each row has a tensor scale, even without elements.
bool has_countable_rows(const recipe& r, const tensor_axes& t) {
  constexpr std::uint64_t most_empty_rows = std::uint64_t{1} << 24;
  if (r.format().tensor != tensor_scaling::per_row || !is_empty(t)) return true;
  std::uint64_t rows = 1;
  for (const std::uint64_t extent : with_length(t, 1).extents) rows = bounded_product(rows, extent);
  return rows <= most_empty_rows;
}

bool takes_last_two(const tensor_axes& t) {
  return t.extents.size() >= 2 && t.axis + 2 >= t.extents.size();
}

array_shape array_of(const tensor_axes& t, std::uint64_t length, std::uint64_t bytes_a_number) {
  return {with_length(t, length).extents, bytes_a_number};
}

/// Extents of the scales, row by row.
std::vector<std::uint64_t> linear_scales(const recipe& r, const tensor_axes& t,
                                         std::uint64_t blocks_along) {
  std::vector<std::uint64_t> extents = with_length(t, blocks_along).extents;
  const auto rows = static_cast<std::uint64_t>(r.format().rows);
  if (rows > 1) extents[t.axis - 1] = quotient_up(extents[t.axis - 1], rows);
  return extents;
}

scale_matrices matrices_in(const std::vector<std::uint64_t>& extents) {
  scale_matrices m;
  m.columns = extents.back();
  if (extents.size() >= 2) m.rows = extents[extents.size() - 2];
  for (std::size_t k = 0; k + 2 < extents.size(); ++k) m.count *= extents[k];
  return m;
}

/// In a layout the last two axes become one.
std::vector<std::uint64_t> arranged_scales(const recipe& r, std::vector<std::uint64_t> extents) {
  if (r.layout == scale_layout::linear) return extents;
  const scale_matrices m = matrices_in(extents);
  extents.resize(extents.size() < 2 ? 0 : extents.size() - 2);
  extents.push_back(size(r.layout, m.rows, m.columns));
  return extents;
}

/// Bytes of `count` codes along the axis.
std::uint64_t code_bytes_of(const recipe& r, std::uint64_t count) {
  if (r.has_pairs()) return quotient_up(count, 2);
  return r.is_dense() ? six_bits::bytes(count) : count;
}

array_shape tensor_scales_of(const recipe& r, const tensor_axes& t) {
  if (!r.format().has_tensor_scale()) return {};
  if (r.format().tensor == tensor_scaling::per_tensor) return {{1}, sizeof(float)};
  return array_of(t, 1, sizeof(float));
}

}  // namespace

std::optional<tensor_axes> axes_of(std::vector<std::uint64_t> extents, std::int64_t axis) {
  if (extents.empty()) extents.push_back(1);
  const auto count = static_cast<std::int64_t>(extents.size());
  if (axis < -count || axis >= count) return {};
  const std::int64_t from_front = axis < 0 ? axis + count : axis;
  return tensor_axes{std::move(extents), static_cast<std::size_t>(from_front)};
}

tensor_refusal refusal_of(const recipe& r, const tensor_axes& t) {
  if (!is_countable(r, t)) return tensor_refusal::size;
  if (!has_countable_rows(r, t)) return tensor_refusal::empty_rows;
  if (r.format().rows > 1 && !(takes_last_two(t) && t.axis + 1 == t.extents.size())) {
    return tensor_refusal::tiles;
  }
  if (r.passes == passes::twice && !takes_last_two(t)) return tensor_refusal::two_passes;
  if (r.is_corrected() && t.extents[t.axis] > std::uint64_t{1} << 30) {
    return tensor_refusal::corrected_length;
  }
  return tensor_refusal::none;
}

tensor_refusal storage_refusal_of(const recipe& r, const tensor_axes& t) {
  if (const tensor_refusal why = refusal_of(r, t); why != tensor_refusal::none) return why;
  if (r.layout == scale_layout::linear) return tensor_refusal::none;
  if (t.axis + 1 != t.extents.size()) return tensor_refusal::layout_axis;
  const blocked_shape padded = padded_shape(r.rules, r.corrections, blocks_of(r, t));
  const auto columns = static_cast<std::uint64_t>(r.format().columns);
  const scale_matrices m = matrices_in(linear_scales(r, t, quotient_up(padded.length, columns)));
  const bool fits = has_size(r.layout, m.rows, m.columns) &&
                    bounded_product(m.count, size(r.layout, m.rows, m.columns)) < size_limit;
  return fits ? tensor_refusal::none : tensor_refusal::layout_size;
}

std::uint64_t array_shape::bytes() const {
  if (extents.empty()) return 0;
  std::uint64_t result = bytes_a_number;
  for (const std::uint64_t extent : extents) result *= extent;
  return result;
}

std::vector<code_order> orders_by_size(const recipe& r) {
  const code_order own = r.codes;
  std::vector<code_order> orders{own, {code_packing::unpacked, own.nibbles}};
  if (r.format().element.width() == 6) {
    orders.push_back({own.packing, own.nibbles, six_bit_order::dense});
  }
  return orders;
}

tensor_axes with_length(tensor_axes t, std::uint64_t length) {
  t.extents[t.axis] = length;
  return t;
}

blocked_shape blocks_of(const recipe& r, const tensor_axes& t) {
  blocked_shape shape;
  shape.length = 1;
  for (std::size_t k = 0; k < t.extents.size(); ++k) {
    const bool row = r.format().rows > 1 && k + 1 == t.axis;
    std::uint64_t& extent = k < t.axis   ? (row ? shape.rows : shape.outer)
                            : k > t.axis ? shape.inner
                                         : shape.length;
    extent *= t.extents[k];
  }
  return shape;
}

coded_shape coded_shape_of(const recipe& r, const tensor_axes& t) {
  coded_shape s;
  s.values = t;
  s.blocks = blocks_of(r, t);
  s.padded = r.is_corrected() ? padded_shape(r.rules, r.corrections, s.blocks) : s.blocks;
  s.sizes = sizes_of(r.format(), s.padded, code_packing::unpacked);
  s.codes = array_of(t, code_bytes_of(r, s.sizes.code_bytes_along), 1);
  s.scales = {arranged_scales(r, linear_scales(r, t, s.sizes.blocks_along)), s.sizes.bytes_a_scale};
  s.tensor_scales = tensor_scales_of(r, t);
  if (r.corrections.macro_block > 0) {
    s.macro_fractions = array_of(t, macro_blocks_along(r.corrections, s.padded),
                                 r.corrections.macro_bits <= 8 ? 1 : 2);
  }
  return s;
}

scale_matrices scale_matrices_of(const recipe& r, const coded_shape& s) {
  return matrices_in(linear_scales(r, s.values, s.sizes.blocks_along));
}

}  // namespace mx
