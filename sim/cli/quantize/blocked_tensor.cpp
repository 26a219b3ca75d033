// SPDX-License-Identifier: Apache-2.0
// sim/cli/quantize/blocked_tensor.cpp: a row-major tensor cut into blocks, and the shapes of what
// it becomes.
#include "sim/cli/quantize/blocked_tensor.h"

#include <fmt/format.h>

#include <algorithm>

namespace sim::cli {
namespace {

namespace io = golden::io;

int axis_from_front(const io::tensor& tensor, std::optional<int> asked) {
  const int axes = std::max(1, static_cast<int>(tensor.shape.size()));
  const int axis = asked.value_or(-1) < 0 ? asked.value_or(-1) + axes : *asked;
  if (axis >= 0 && axis < axes) return axis;
  throw io::file_error(
      tensor.source, tensor.name,
      fmt::format("has the shape {}, so no axis {}; expected --axis from {} to {}",
                  io::shape_text(tensor.shape), asked.value_or(-1), -axes, axes - 1));
}

void expect_tiles_fit(const io::tensor& tensor, int axis, const mx::block_format& f) {
  const int axes = static_cast<int>(tensor.shape.size());
  if (axes >= 2 && axis == axes - 1) return;
  throw io::file_error(tensor.source, tensor.name,
                       fmt::format("has the shape {}; tiles of {}x{} take the last two axes, so {}",
                                   io::shape_text(tensor.shape), f.rows, f.columns,
                                   axes < 2 ? "leave a tensor with fewer out of the file"
                                            : "leave --axis out, or transpose the tensor first"));
}

/// Each row has a tensor scale, also where it has no element: a shape may name more of these than can be
/// held.
void expect_countable_rows(const io::tensor& tensor, const blocked_tensor& t,
                           const mx::block_format& f) {
  constexpr std::uint64_t most_empty_rows = std::uint64_t{1} << 24;
  if (f.tensor != mx::tensor_scaling::per_row || io::element_count(t.values) != 0) return;
  const std::optional<std::uint64_t> rows = io::element_count(with_length(t.values, t.axis, 1));
  if (rows && *rows <= most_empty_rows) return;
  throw io::file_error(
      tensor.source, tensor.name,
      fmt::format("has the shape {}: no element, and more rows with a tensor scale "
                  "each than memory holds; leave it out of the file",
                  io::shape_text(tensor.shape)));
}

}  // namespace

blocked_tensor blocked(const io::tensor& tensor, std::optional<int> asked,
                       const mx::block_format& f) {
  blocked_tensor t;
  t.axis = axis_from_front(tensor, asked);
  if (f.rows > 1) expect_tiles_fit(tensor, t.axis, f);
  t.values = tensor.shape;
  if (t.values.empty()) t.values.push_back(1);
  t.shape.length = 1;
  for (std::size_t k = 0; k < t.values.size(); ++k) {
    const auto place = static_cast<int>(k);
    const bool row = f.rows > 1 && place + 1 == t.axis;
    std::uint64_t& extent = place < t.axis   ? (row ? t.shape.rows : t.shape.outer)
                            : place > t.axis ? t.shape.inner
                                             : t.shape.length;
    extent *= t.values[k];
  }
  expect_countable_rows(tensor, t, f);
  return t;
}

std::vector<std::uint64_t> with_length(std::vector<std::uint64_t> shape, int axis,
                                       std::uint64_t length) {
  shape[static_cast<std::size_t>(axis)] = length;
  return shape;
}

std::vector<std::uint64_t> scales_shape(const blocked_tensor& t, const mx::block_format& f,
                                        std::uint64_t blocks_along) {
  std::vector<std::uint64_t> shape = with_length(t.values, t.axis, blocks_along);
  if (f.rows > 1) {
    std::uint64_t& rows = shape[static_cast<std::size_t>(t.axis - 1)];
    const auto height = static_cast<std::uint64_t>(f.rows);
    rows = rows / height + (rows % height != 0 ? 1 : 0);
  }
  return shape;
}

std::vector<std::uint64_t> tensor_scales_shape(const blocked_tensor& t, const mx::block_format& f) {
  if (f.tensor == mx::tensor_scaling::per_tensor) return {1};
  return with_length(t.values, t.axis, 1);
}

scale_matrices matrices_of(const std::vector<std::uint64_t>& scales) {
  scale_matrices m;
  m.columns = scales.back();
  if (scales.size() >= 2) m.rows = scales[scales.size() - 2];
  for (std::size_t k = 0; k + 2 < scales.size(); ++k) m.count *= scales[k];
  return m;
}

}  // namespace sim::cli
