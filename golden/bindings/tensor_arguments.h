// SPDX-License-Identifier: Apache-2.0
// golden/bindings/tensor_arguments.h: a caller's tensor, shape and arrays, validated and in core
// types.
#pragma once
#include <array>
#include <vector>

#include "golden/bindings/arguments.h"
#include "golden/bindings/format_handle.h"
#include "mx/tensor/coded_tensor.h"

namespace bindings {

/// The extents of a shape.
///   errors  mx_status_bad_argument: null, more than 64 axes, axis out of range
[[nodiscard]] mx::tensor_axes axes_of(const mx_shape* shape);

/// Refuses tensors that the recipe does not accept.
///   errors  mx_status_unsupported: layouts or passes incompatible with the axis;
///           mx_status_bad_argument: tiles without two axes, sizes of 2^60
void expect_taken(const mx::recipe& r, const mx::tensor_axes& t, mx::tensor_refusal why);

/// Refuses variants that only decode.
void expect_quantizer(const mx_format& format);

/// Layout of all arrays of a tensor.
///   errors  of axes_of and expect_taken; mx_status_unsupported: scales that cannot be stored
[[nodiscard]] mx::coded_shape coded_shape_of(const mx_format& format, const mx_shape* shape);

/// Refuses an unknown number type, and a count of numbers other than that of the elements.
[[nodiscard]] mx::number_type checked_type(const mx_numbers* numbers, std::uint64_t elements);

/// An array of mx_coded, with its name in messages.
struct coded_array {
  const char* name;
  mx_buffer mx_coded::*buffer;
};
inline constexpr std::array coded_table{
    coded_array{"codes", &mx_coded::codes},
    coded_array{"scales", &mx_coded::scales},
    coded_array{"tensor_scales", &mx_coded::tensor_scales},
    coded_array{"tensor_amax", &mx_coded::tensor_amax},
    coded_array{"macro_fractions", &mx_coded::macro_fractions},
    coded_array{"residual_codes", &mx_coded::residual_codes},
    coded_array{"residual_scales", &mx_coded::residual_scales},
    coded_array{"residual_macro_fractions", &mx_coded::residual_macro_fractions}};

/// Required sizes of a caller's arrays.
[[nodiscard]] mx_coded sizes_of(const mx_format& format, const mx::coded_shape& shape);

/// The arrays of a caller.
///   errors  mx_status_bad_argument if their sizes do not match the shape
[[nodiscard]] mx::coded_arrays checked_arrays(const mx_format& format, const mx::coded_shape& shape,
                                              const mx_coded* coded);

/// The tensor scales of a caller.
///   errors  mx_status_bad_argument if one is not positive and finite
[[nodiscard]] std::vector<float> given_tensor_scales(const mx_buffer& buffer, std::uint64_t count);

}  // namespace bindings
