// SPDX-License-Identifier: Apache-2.0
// golden/bindings/tensor_arguments.cpp: a caller's tensor, shape and arrays, validated and
// converted to the types of the core.
#include "golden/bindings/tensor_arguments.h"

#include "mx/presets/bulk_variants.h"

namespace bindings {
namespace {

constexpr std::uint32_t most_dimensions = 64;

std::uint8_t* bytes_in(const mx_buffer& buffer) { return static_cast<std::uint8_t*>(buffer.data); }

}  // namespace

mx_coded sizes_of(const mx_format& format, const mx::coded_shape& s) {
  mx_coded made = {};
  made.codes.bytes = s.codes.bytes();
  made.scales.bytes = s.scales.bytes();
  made.tensor_scales.bytes = s.tensor_scales.bytes();
  made.macro_fractions.bytes = s.macro_fractions.bytes();
  if (format.recipe.has_preset()) made.tensor_amax.bytes = s.tensor_scales.bytes();
  if (format.recipe.corrections.has_residual()) {
    made.residual_codes.bytes = made.codes.bytes;
    made.residual_scales.bytes = made.scales.bytes;
    made.residual_macro_fractions.bytes = made.macro_fractions.bytes;
  }
  return made;
}

mx::tensor_axes axes_of(const mx_shape* shape) {
  require(shape != nullptr, "the shape is null");
  require(shape->dimensions <= most_dimensions, "a shape has at most 64 dimensions");
  require(shape->dimensions == 0 || shape->extents != nullptr, "the extents are null");
  std::vector<std::uint64_t> extents;
  if (shape->dimensions > 0) extents.assign(shape->extents, shape->extents + shape->dimensions);
  auto axes = mx::axes_of(std::move(extents), shape->axis);
  require(axes.has_value(), "the axis is outside the shape");
  return std::move(*axes);
}

void expect_taken(const mx::recipe& r, const mx::tensor_axes& t, mx::tensor_refusal why) {
  using enum mx::tensor_refusal;
  if (why == none) return;
  const bool unsupported = why == two_passes || why == layout_axis;
  throw refused(unsupported ? mx_status_unsupported : mx_status_bad_argument,
                "the tensor " + mx::sentence_of(r, t, why));
}

void expect_quantizer(const mx_format& format) {
  if (!format.recipe.has_preset() || mx::is_quantizer(mx::preset_of(format.recipe))) return;
  throw refused(mx_status_unsupported, "this variant only decodes");
}

mx::coded_shape coded_shape_of(const mx_format& format, const mx_shape* shape) {
  const mx::recipe& r = format.recipe;
  if (const auto why = mx::storage_refusal_of(r); why != mx::recipe_refusal::none) {
    throw refused(mx_status_unsupported, mx::sentence_of(r, why));
  }
  const mx::tensor_axes axes = axes_of(shape);
  expect_taken(r, axes, mx::storage_refusal_of(r, axes));
  return mx::coded_shape_of(r, axes);
}

mx::number_type checked_type(const mx_numbers* numbers, std::uint64_t elements) {
  require(numbers != nullptr, "the numbers are null");
  constexpr mx::number_type types[] = {mx::number_type::fp32, mx::number_type::fp16,
                                       mx::number_type::bf16};
  const mx::number_type type =
      chosen(types, numbers->type, "the type of the numbers is out of range");
  expect_bytes(numbers->data, numbers->bytes, product(elements, mx::bytes_of(type)), "numbers");
  return type;
}

mx::coded_arrays checked_arrays(const mx_format& format, const mx::coded_shape& shape,
                                const mx_coded* coded) {
  const mx_coded c = read(coded), expected = sizes_of(format, shape);
  for (const coded_array& array : coded_table) {
    expect_bytes(c.*array.buffer, (expected.*array.buffer).bytes, array.name);
  }
  return {{bytes_in(c.codes), bytes_in(c.scales), bytes_in(c.macro_fractions)},
          {bytes_in(c.residual_codes), bytes_in(c.residual_scales),
           bytes_in(c.residual_macro_fractions)},
          bytes_in(c.tensor_scales),
          bytes_in(c.tensor_amax)};
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
  return bindings::described(sizes, error, [&] {
    const mx_format& f = bindings::format_of(format);
    return bindings::sizes_of(f, bindings::coded_shape_of(f, shape));
  });
}
