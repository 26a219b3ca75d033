// SPDX-License-Identifier: Apache-2.0
// golden/bindings/coded_places.cpp: blocks and sizes of a tensor, with every product of sizes checked.
#include "golden/bindings/coded_places.h"

#include <algorithm>

#include "mx/bulk_corrected.h"

namespace bindings {
namespace {

constexpr std::uint32_t most_dimensions = 64;

std::uint64_t quotient_up(std::uint64_t value, std::uint64_t by) {
  return value / by + (value % by != 0 ? 1 : 0);
}

void expect_storable(const mx_format& format) {
  const mx::block_format& f = format.blocks();
  const auto refuse = [](const char* why) { throw refused(mx_status_unsupported, why); };
  if (f.precision == mx::scale_precision::exact) refuse("an exact scale cannot be stored");
  if (f.rows > 1 && f.tensor == mx::tensor_scaling::per_row) {
    refuse("a tile has several rows, so no row has a scale of its own; use `tensor`");
  }
}

mx::blocked_shape padded(const mx_format& format, const mx::blocked_shape& shape) {
  if (!format.is_corrected()) return shape;
  require(shape.length <= std::uint64_t{1} << 30, "corrections take at most 2^30 along the axis");
  return mx::padded_shape(format.quantizer(), format.spelled.corrections, shape);
}

scale_matrices matrices_of(const tensor_extents& extents, const mx::block_format& f,
                           std::uint64_t blocks_along) {
  std::vector<std::uint64_t> scales = extents.values;
  scales[extents.axis] = blocks_along;
  if (f.rows > 1) {
    std::uint64_t& rows = scales[extents.axis - 1];
    rows = quotient_up(rows, static_cast<std::uint64_t>(f.rows));
  }
  scale_matrices m;
  m.columns = scales.back();
  if (scales.size() >= 2) m.rows = scales[scales.size() - 2];
  for (std::size_t k = 0; k + 2 < scales.size(); ++k) m.count *= scales[k];
  return m;
}

std::uint64_t arranged_bytes(const mx_format& format, const tensor_extents& extents,
                             const coded_places& p) {
  if (format.layout == mx::scale_layout::linear) return p.in_core.scale_bytes();
  if (extents.axis + 1 != extents.values.size()) {
    throw refused(mx_status_unsupported, "layout: it takes blocks along the last axis");
  }
  require(mx::has_size(format.layout, p.matrices.rows, p.matrices.columns),
          "there are more scales than a layout can number");
  const std::uint64_t size = mx::size(format.layout, p.matrices.rows, p.matrices.columns);
  return product(p.matrices.count, size);
}

coded_sizes sizes_of(const mx_format& format, const tensor_extents& extents,
                     const coded_places& p) {
  const mx::corrections& c = format.spelled.corrections;
  const std::uint64_t lines = p.padded.outer * p.padded.rows * p.padded.inner;
  coded_sizes s;
  s.codes = lines * p.packed;
  s.scales = arranged_bytes(format, extents, p);
  s.tensor_scales = p.in_core.tensor_scales * sizeof(float);
  if (format.variant != nullptr) s.tensor_amax = s.tensor_scales;
  const std::uint64_t fraction_bytes = c.macro_bits <= 8 ? 1 : 2;
  s.macro_fractions = lines * mx::macro_blocks_along(c, p.padded) * fraction_bytes;
  return s;
}

}  // namespace

tensor_extents extents_of(const mx_shape* shape) {
  require(shape != nullptr, "the shape is null");
  require(shape->dimensions <= most_dimensions, "a shape has at most 64 dimensions");
  require(shape->dimensions == 0 || shape->extents != nullptr, "the extents are null");
  tensor_extents e;
  if (shape->dimensions == 0) {
    e.values.push_back(1);
  } else {
    e.values.assign(shape->extents, shape->extents + shape->dimensions);
  }
  const auto axes = static_cast<std::int64_t>(e.values.size());
  const std::int64_t axis = shape->axis < 0 ? shape->axis + axes : shape->axis;
  require(axis >= 0 && axis < axes, "the shape has no such axis");
  e.axis = static_cast<std::size_t>(axis);
  // Without elements the other extents count as well: they are the numbers of lines.
  std::uint64_t size = 4;
  for (const std::uint64_t extent : e.values)
    size = product(size, std::max<std::uint64_t>(extent, 1));
  return e;
}

mx::blocked_shape blocked(const tensor_extents& extents, const mx::block_format& f) {
  const bool tiles = f.rows > 1;
  require(!tiles || (extents.values.size() >= 2 && extents.axis + 1 == extents.values.size()),
          "tiles take the last two axes, columns along the last");
  mx::blocked_shape shape;
  shape.length = 1;
  for (std::size_t k = 0; k < extents.values.size(); ++k) {
    const bool row = tiles && k + 1 == extents.axis;
    std::uint64_t& extent = k < extents.axis   ? (row ? shape.rows : shape.outer)
                            : k > extents.axis ? shape.inner
                                               : shape.length;
    extent *= extents.values[k];
  }
  return shape;
}

void expect_countable(const mx::block_format& f, const mx::blocked_shape& shape) {
  const auto columns = static_cast<std::uint64_t>(f.columns);
  const std::uint64_t lines = product(product(shape.outer, shape.rows), shape.inner);
  const std::uint64_t padded = product(quotient_up(shape.length, columns), columns);
  static_cast<void>(product(product(lines, padded), 4));
  static_cast<void>(product(product(lines, quotient_up(shape.length, columns)), 4));
  static_cast<void>(product(lines, sizeof(float)));
}

coded_places places_of(const mx_format& format, const mx_shape* shape) {
  const mx::block_format& f = format.blocks();
  expect_storable(format);
  const tensor_extents extents = extents_of(shape);
  coded_places p;
  p.shape = blocked(extents, f);
  p.elements = p.shape.elements();
  p.padded = padded(format, p.shape);
  expect_countable(f, p.padded);
  p.in_core = mx::sizes_of(f, p.padded, format.core_packing());
  const std::uint64_t along = p.in_core.blocks_along * static_cast<std::uint64_t>(f.columns);
  p.packed = format.is_halved() ? quotient_up(along, 2) : along;
  p.matrices = matrices_of(extents, f, p.in_core.blocks_along);
  p.sizes = sizes_of(format, extents, p);
  return p;
}

mx::number_type checked_type(const mx_numbers* numbers, std::uint64_t elements) {
  require(numbers != nullptr, "the numbers are null");
  constexpr mx::number_type types[] = {mx::number_type::fp32, mx::number_type::fp16,
                                       mx::number_type::bf16};
  require(numbers->type >= 0 && numbers->type <= mx_number_bf16,
          "there is no such type of numbers");
  const mx::number_type type = types[numbers->type];
  expect_bytes(numbers->data, numbers->bytes, product(elements, mx::bytes_of(type)), "numbers");
  return type;
}

mx_coded checked_arrays(const mx_format& format, const coded_places& places,
                        const mx_coded* coded) {
  const mx_coded c = read(coded, "mx_coded");
  const coded_sizes& s = places.sizes;
  const std::uint64_t twice = format.spelled.corrections.has_residual() ? 1 : 0;
  expect_bytes(c.codes, s.codes, "codes");
  expect_bytes(c.scales, s.scales, "scales");
  expect_bytes(c.tensor_scales, s.tensor_scales, "tensor_scales");
  expect_bytes(c.tensor_amax, s.tensor_amax, "tensor_amax");
  expect_bytes(c.macro_fractions, s.macro_fractions, "macro_fractions");
  expect_bytes(c.residual_codes, twice * s.codes, "residual_codes");
  expect_bytes(c.residual_scales, twice * s.scales, "residual_scales");
  expect_bytes(c.residual_macro_fractions, twice * s.macro_fractions, "residual_macro_fractions");
  return c;
}

std::vector<float> given_tensor_scales(const mx_buffer& buffer, std::uint64_t count) {
  expect_bytes(buffer, count * sizeof(float), "tensor_scales");
  std::vector<float> scales = floats_of(buffer);
  for (const float scale : scales) {
    require(mx::is_tensor_scale(mx::unpack(scale)),
            "tensor_scales: each is a positive finite number");
  }
  return scales;
}

}  // namespace bindings

mx_status mx_coded_sizes(const mx_format* format, const mx_shape* shape, mx_coded* sizes,
                         mx_error* error) {
  return bindings::guarded(error, [&] {
    const mx_format& f = bindings::format_of(format);
    const bindings::coded_sizes s = bindings::places_of(f, shape).sizes;
    mx_coded made = {};
    made.codes.bytes = s.codes;
    made.scales.bytes = s.scales;
    made.tensor_scales.bytes = s.tensor_scales;
    made.tensor_amax.bytes = s.tensor_amax;
    made.macro_fractions.bytes = s.macro_fractions;
    if (f.spelled.corrections.has_residual()) {
      made.residual_codes.bytes = s.codes;
      made.residual_scales.bytes = s.scales;
      made.residual_macro_fractions.bytes = s.macro_fractions;
    }
    bindings::write(sizes, made, "mx_coded");
  });
}
