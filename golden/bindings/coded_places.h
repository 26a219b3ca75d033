// SPDX-License-Identifier: Apache-2.0
// golden/bindings/coded_places.h: a caller's tensor, shape and arrays, checked and as the core takes them.
#pragma once
#include <vector>

#include "golden/bindings/arguments.h"
#include "golden/bindings/format_handle.h"
#include "mx/tensor/coded_tensor.h"

namespace bindings {

/// The extents of a caller.
///   errors  mx_status_bad_argument: null, more than 64 axes, no such axis
[[nodiscard]] mx::tensor_axes axes_of(const mx_shape* shape);

/// Refuses tensors that the recipe does not take.
///   errors  mx_status_unsupported: layouts, passes that do not go with the axis;
///           mx_status_bad_argument: tiles without two axes, sizes of 2^60
void expect_taken(const mx::recipe& r, const mx::tensor_axes& t, mx::tensor_refusal why);

/// Where everything of a tensor lies.
///   errors  of axes_of and expect_taken; mx_status_unsupported: scales that cannot be stored
[[nodiscard]] mx::coded_shape coded_shape_of(const mx_format& format, const mx_shape* shape);

/// Refuses numbers that are not as many as the elements, or of no type.
[[nodiscard]] mx::number_type checked_type(const mx_numbers* numbers, std::uint64_t elements);

/// The arrays of a caller.
///   errors  mx_status_bad_argument where their sizes are not those of the shape
[[nodiscard]] mx::coded_arrays checked_arrays(const mx_format& format, const mx::coded_shape& shape,
                                              const mx_coded* coded);

/// The tensor scales of a caller.
///   errors  mx_status_bad_argument where one is not a positive finite number
[[nodiscard]] std::vector<float> given_tensor_scales(const mx_buffer& buffer, std::uint64_t count);

}  // namespace bindings
