// SPDX-License-Identifier: Apache-2.0
// sim/cli/quantize/blocked_tensor.h: a row-major tensor cut into blocks, and the shapes of what it
// becomes.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "golden/io/tensor.h"
#include "mx/bulk_blocks.h"

namespace sim::cli {

/// Blocks of one row lie along any axis; tiles take the last two axes, columns along the last.
struct blocked_tensor {
  std::vector<std::uint64_t> values;  ///< the tensor's shape; [] is taken as [1]
  int axis = 0;                       ///< from 0
  mx::blocked_shape shape;            ///< the same as the core takes it
};

/// How a tensor is cut.
///   asked   the axis, negative: from the end; nothing: the last one
///   errors  file_error where the tensor has no such axis, or none for the rows of tiles
[[nodiscard]] blocked_tensor blocked(const golden::io::tensor& tensor, std::optional<int> asked,
                                     const mx::block_format& f);

/// A shape with another length along an axis.
[[nodiscard]] std::vector<std::uint64_t> with_length(std::vector<std::uint64_t> shape, int axis,
                                                     std::uint64_t length);

/// Shape of the scales in linear order.
///   blocks_along  after padding
[[nodiscard]] std::vector<std::uint64_t> scales_shape(const blocked_tensor& t,
                                                      const mx::block_format& f,
                                                      std::uint64_t blocks_along);

/// Shape of the tensor scales: [1], or one a row, in the tensor's axes.
[[nodiscard]] std::vector<std::uint64_t> tensor_scales_shape(const blocked_tensor& t,
                                                             const mx::block_format& f);

/// The scales as matrices: the last two axes of their shape, and how many there are.
struct scale_matrices {
  std::uint64_t count = 1, rows = 1, columns = 1;
};
[[nodiscard]] scale_matrices matrices_of(const std::vector<std::uint64_t>& scales);

}  // namespace sim::cli
