// SPDX-License-Identifier: Apache-2.0
// golden/bindings/coded_places.h: how a tensor of a shape is cut into blocks by a format, and the sizes
// of what it becomes.
#pragma once
#include <vector>

#include "golden/bindings/arguments.h"
#include "golden/bindings/format_handle.h"

namespace bindings {

/// A shape that was checked, with an axis from 0.
struct tensor_extents {
  std::vector<std::uint64_t> values;
  std::size_t axis = 0;
};

/// The scales as matrices end to end: the last two axes of their shape.
struct scale_matrices {
  std::uint64_t count = 1, rows = 1, columns = 1;
};

/// Bytes of every array; what a format does not have is 0.
struct coded_sizes {
  std::uint64_t codes = 0, scales = 0, tensor_scales = 0, tensor_amax = 0, macro_fractions = 0;
};

/// Where everything of a tensor is.
///   shape       as the core takes it     padded  with the axis padded as codes are
///   packed      bytes of codes along the axis
///   in_core     of codes and scales as the core writes them
struct coded_places {
  mx::blocked_shape shape, padded;
  std::uint64_t elements = 0;
  std::uint64_t packed = 0;
  scale_matrices matrices;
  mx::blocked_sizes in_core;
  coded_sizes sizes;
};

/// The extents of a caller.
///   errors  mx_status_bad_argument: null, more than 64 axes, no such axis, 2^60 elements
[[nodiscard]] tensor_extents extents_of(const mx_shape* shape);

/// The tensor in blocks along its axis.
///   errors  mx_status_bad_argument where tiles have no two axes
[[nodiscard]] mx::blocked_shape blocked(const tensor_extents& extents, const mx::block_format& f);

/// Refuses shapes of which the core could not multiply the sizes.
void expect_countable(const mx::block_format& f, const mx::blocked_shape& shape);

/// How a format keeps a tensor.
///   errors  mx_status_unsupported: scales that cannot be stored, layouts that do not go with the
///           axis; mx_status_bad_argument: sizes of 2^60
[[nodiscard]] coded_places places_of(const mx_format& format, const mx_shape* shape);

/// Refuses numbers that are not as many as the elements, or of no type.
[[nodiscard]] mx::number_type checked_type(const mx_numbers* numbers, std::uint64_t elements);

/// Refuses arrays whose sizes are not those of the places.
[[nodiscard]] mx_coded checked_arrays(const mx_format& format, const coded_places& places,
                                      const mx_coded* coded);

/// The tensor scales of a caller.
///   errors  mx_status_bad_argument where one is not a positive finite number
[[nodiscard]] std::vector<float> given_tensor_scales(const mx_buffer& buffer, std::uint64_t count);

}  // namespace bindings
