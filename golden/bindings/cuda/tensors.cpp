// SPDX-License-Identifier: Apache-2.0
// golden/bindings/cuda/tensors.cpp: tensors on a device, whose last axis is the rows of a matrix.
#include <array>

#include "golden/bindings/arguments.h"
#include "golden/bindings/cuda/device_calls.h"
#include "golden/bindings/cuda/launched.h"
#include "golden/bindings/energy.h"
#include "golden/bindings/format_handle.h"
#include "kernels/src/requests.h"
#include "mx/kernels/decompose.h"
#include "mx/kernels/quantize.h"

namespace bindings::cuda {
namespace {

constexpr std::array types{mx::number_type::fp32, mx::number_type::fp16, mx::number_type::bf16};

mx::number_type type_of(std::int32_t number) {
  require(number >= 0 && static_cast<std::size_t>(number) < types.size(),
          "the type of the numbers is out of range");
  return types[static_cast<std::size_t>(number)];
}

/// A tensor with blocks along its last axis as a matrix.
struct device_tensor {
  const mx_format& format;
  mx::kernels::matrix_shape shape;
  mx_coded sizes;

  [[nodiscard]] std::uint64_t elements() const {
    return static_cast<std::uint64_t>(shape.rows) * static_cast<std::uint64_t>(shape.columns);
  }
  [[nodiscard]] std::string name() const { return format.spelling; }
  [[nodiscard]] bool has_tensor_scale() const { return sizes.tensor_scales.bytes > 0; }
};

/// The sizes of the arrays by libmxprism, which validates the shape too.
mx_coded sizes_by_library(const mx_format* format, const mx_shape* shape) {
  std::array<char, 1024> text{};
  mx_error error = {text.data(), text.size(), 0};
  mx_coded sizes = {};
  sizes.struct_size = sizeof sizes;
  const mx_status status = mx_coded_sizes(format, shape, &sizes, &error);
  if (status != mx_status_ok) throw refused(status, text.data());
  return sizes;
}

void expect_plain_axes(const mx_format& f, const mx_shape& s) {
  const auto last = static_cast<std::int32_t>(s.dimensions == 0 ? 1 : s.dimensions) - 1;
  if (s.axis != -1 && s.axis != last) {
    throw refused(mx_status_unsupported, "blocks along another axis than the last have no kernel");
  }
  const bool is_linear = f.recipe.layout == mx::scale_layout::linear;
  if (s.dimensions > 2 && (!is_linear || f.recipe.format().rows > 1)) {
    throw refused(mx_status_unsupported,
                  "a scale layout and tiles need a shape of at most two axes");
  }
}

device_tensor tensor_of(const mx_format* format, const mx_shape* shape) {
  if (format == nullptr) throw refused(mx_status_bad_argument, "the format is null");
  device_tensor made{*format, {1, 1}, sizes_by_library(format, shape)};
  expect_plain_axes(*format, *shape);
  std::uint64_t rows = 1;
  for (std::uint32_t i = 0; i + 1 < shape->dimensions; ++i) {
    rows = product(rows, shape->extents[i]);
  }
  const std::uint64_t columns = shape->dimensions > 0 ? shape->extents[shape->dimensions - 1] : 1;
  made.shape = {static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns)};
  if (made.has_tensor_scale() && !format->takes_tensor_scale()) {
    throw refused(mx_status_unsupported,
                  made.name() +
                      ": the tensor scale is chosen on the host only; compute it, and "
                      "give it by tensor-scale=given");
  }
  return made;
}

constexpr std::uint64_t longest_stride = std::uint64_t{1} << 59;

/// Elements between the rows of numbers, as a request has it; 0: without gaps.
std::int64_t stride_of(std::uint64_t row_stride) {
  require(row_stride <= longest_stride, "row_stride is above 2^59");
  return static_cast<std::int64_t>(row_stride);
}

/// Elements from the first to the last, gaps included.
std::uint64_t span_of(const device_tensor& t, std::uint64_t row_stride) {
  const auto rows = static_cast<std::uint64_t>(t.shape.rows);
  const auto columns = static_cast<std::uint64_t>(t.shape.columns);
  if (row_stride == 0 || rows == 0 || columns == 0) return t.elements();
  require(row_stride >= columns, "row_stride: rows would overlap");
  return product(rows - 1, row_stride) + columns;
}

void expect_numbers(const mx_numbers* numbers, const device_tensor& t, std::uint64_t row_stride) {
  require(numbers != nullptr, "the numbers are null");
  const mx::number_type type = type_of(numbers->type);
  expect_bytes(numbers->data, numbers->bytes, product(span_of(t, row_stride), mx::bytes_of(type)),
               "numbers");
}

/// The arrays of a plain format; others have size 0 in both.
mx_coded checked_arrays(const mx_coded* coded, const device_tensor& t) {
  const mx_coded found = read(coded);
  expect_bytes(found.codes, t.sizes.codes.bytes, "codes");
  expect_bytes(found.scales, t.sizes.scales.bytes, "scales");
  expect_bytes(found.tensor_scales, t.sizes.tensor_scales.bytes, "tensor_scales");
  return found;
}

void quantize(const device_tensor& t, const mx_numbers* numbers, std::uint64_t row_stride,
              const mx_coded* coded, mx::kernels::stream on) {
  expect_numbers(numbers, t, row_stride);
  const mx_coded to = checked_arrays(coded, t);
  expect_usable();
  const mx::kernels::quantize_request request{
      .how = t.format.recipe,
      .input = type_of(numbers->type),
      .shape = t.shape,
      .x = numbers->data,
      .tensor_scale = static_cast<const float*>(to.tensor_scales.data),
      .rows = {to.codes.data, to.scales.data},
      .columns = {},
      .x_stride = stride_of(row_stride)};
  expect_launched(t.name(), mx::kernels::checked(request));
  // Kernels leave a layout's padding as it is; libmxprism writes zeros.
  const bool is_padded = t.format.recipe.layout != mx::scale_layout::linear;
  if (is_padded && to.scales.bytes > 0) clear_bytes(to.scales.data, to.scales.bytes, on);
  expect_launched(t.name(), mx::kernels::quantize(request, on));
}

void dequantize(const device_tensor& t, const mx_coded* coded, std::int32_t type,
                const mx_buffer* values, std::uint64_t row_stride, mx::kernels::stream on) {
  const mx_coded from = checked_arrays(coded, t);
  const mx::number_type output = type_of(type);
  require(values != nullptr, "the values are null");
  expect_bytes(*values, product(span_of(t, row_stride), mx::bytes_of(output)), "values");
  expect_usable();
  const mx::kernels::dequantize_request request{
      .how = t.format.recipe,
      .shape = t.shape,
      .codes = from.codes.data,
      .scales = from.scales.data,
      .tensor_scale = static_cast<const float*>(from.tensor_scales.data),
      .output = output,
      .out = values->data,
      .out_stride = stride_of(row_stride)};
  expect_launched(t.name(), mx::kernels::dequantize(request, on));
}

std::uint64_t workspace_bytes(const device_tensor& t) {
  const std::int64_t entries = mx::kernels::share_entries_of(t.format.recipe.format(), t.shape);
  return (static_cast<std::uint64_t>(entries) + 1) * sizeof(mx::error_energy);
}

const float* tensor_scales_given(const device_tensor& t, const mx_buffer* given) {
  if (!t.has_tensor_scale()) {
    require(given == nullptr, "tensor_scales: the format has none; give null");
    return nullptr;
  }
  require(given != nullptr, "tensor_scales is null; the format has tensor-scale=given");
  expect_bytes(*given, t.sizes.tensor_scales.bytes, "tensor_scales");
  return static_cast<const float*>(given->data);
}

mx_energy decompose(const device_tensor& t, const mx_numbers* numbers, std::uint64_t row_stride,
                    const mx_buffer* given, const mx_buffer* workspace, mx::kernels::stream on) {
  expect_numbers(numbers, t, row_stride);
  const float* tensor_scale = tensor_scales_given(t, given);
  require(workspace != nullptr && workspace->data != nullptr, "the workspace is null");
  require(workspace->bytes >= workspace_bytes(t),
          "the workspace is smaller than mx_cuda_tensor_decompose_workspace");
  expect_usable();
  auto* sum = static_cast<mx::error_energy*>(workspace->data);
  const mx::kernels::decompose_request request{.how = t.format.recipe,
                                               .input = type_of(numbers->type),
                                               .shape = t.shape,
                                               .x = numbers->data,
                                               .tensor_scale = tensor_scale,
                                               .shares = sum + 1,
                                               .sum = sum,
                                               .x_stride = stride_of(row_stride)};
  expect_launched(t.name(), mx::kernels::decompose(request, on));
  mx::error_energy made;
  fetch_bytes(&made, sum, sizeof made, on);
  return energy_of(made);
}

}  // namespace
}  // namespace bindings::cuda

using bindings::cuda::stream_of;
using bindings::cuda::tensor_of;

mx_status mx_cuda_tensor_quantize_rows(const mx_format* format, const mx_shape* shape,
                                       const mx_numbers* numbers, uint64_t row_stride,
                                       const mx_coded* coded, mx_cuda_stream stream,
                                       mx_error* error) {
  return bindings::guarded(error, [&] {
    bindings::cuda::quantize(tensor_of(format, shape), numbers, row_stride, coded,
                             stream_of(stream));
  });
}

mx_status mx_cuda_tensor_quantize(const mx_format* format, const mx_shape* shape,
                                  const mx_numbers* numbers, const mx_coded* coded,
                                  mx_cuda_stream stream, mx_error* error) {
  return mx_cuda_tensor_quantize_rows(format, shape, numbers, 0, coded, stream, error);
}

mx_status mx_cuda_tensor_dequantize_rows(const mx_format* format, const mx_shape* shape,
                                         const mx_coded* coded, int32_t type,
                                         const mx_buffer* values, uint64_t row_stride,
                                         mx_cuda_stream stream, mx_error* error) {
  return bindings::guarded(error, [&] {
    bindings::cuda::dequantize(tensor_of(format, shape), coded, type, values, row_stride,
                               stream_of(stream));
  });
}

mx_status mx_cuda_tensor_dequantize(const mx_format* format, const mx_shape* shape,
                                    const mx_coded* coded, int32_t type, const mx_buffer* values,
                                    mx_cuda_stream stream, mx_error* error) {
  return mx_cuda_tensor_dequantize_rows(format, shape, coded, type, values, 0, stream, error);
}

mx_status mx_cuda_tensor_decompose_workspace(const mx_format* format, const mx_shape* shape,
                                             uint64_t* bytes, mx_error* error) {
  return bindings::guarded(error, [&] {
    bindings::require(bytes != nullptr, "the address for the bytes is null");
    *bytes = bindings::cuda::workspace_bytes(tensor_of(format, shape));
  });
}

mx_status mx_cuda_tensor_decompose_rows(const mx_format* format, const mx_shape* shape,
                                        const mx_numbers* numbers, uint64_t row_stride,
                                        const mx_buffer* tensor_scales, const mx_buffer* workspace,
                                        mx_energy* energy, mx_cuda_stream stream, mx_error* error) {
  return bindings::guarded(error, [&] {
    static_cast<void>(bindings::struct_size_of(energy, bindings::publication_of<mx_energy>));
    bindings::write(energy, bindings::cuda::decompose(tensor_of(format, shape), numbers, row_stride,
                                                      tensor_scales, workspace, stream_of(stream)));
  });
}

mx_status mx_cuda_tensor_decompose(const mx_format* format, const mx_shape* shape,
                                   const mx_numbers* numbers, const mx_buffer* tensor_scales,
                                   const mx_buffer* workspace, mx_energy* energy,
                                   mx_cuda_stream stream, mx_error* error) {
  return mx_cuda_tensor_decompose_rows(format, shape, numbers, 0, tensor_scales, workspace, energy,
                                       stream, error);
}
