// SPDX-License-Identifier: Apache-2.0
// kernels/src/requests.h: validation of requests before a launch; plain C++, so that it is tested
// without a device.
#pragma once
#include <initializer_list>

#include "mx/kernels/decompose.h"
#include "mx/kernels/quantize.h"
#include "mx/kernels/rotate.h"

namespace mx::kernels {

inline constexpr std::int64_t most_elements = std::int64_t{1} << 31;  // of a product's matrix
inline constexpr std::int64_t most_k = std::int64_t{1} << 30;

/// Done if a matrix of a product has at most as many.
status product_below(const char* name, std::int64_t lines, std::int64_t length);

/// A memory range of a request.
struct extent {
  const char* name;
  const void* first;
  std::int64_t bytes;
};

/// launch_error::overlapping, naming the first, if a result shares a byte with another extent;
/// null extents share none.
status disjoint(std::initializer_list<extent> results, std::initializer_list<extent> others);

/// launch_error::null_pointer, or launch_error::misaligned.
///   alignment  bytes
status usable(const char* name, const void* pointer, int alignment);

/// Elements between lines of a matrix.
///   stride  0: dense
[[nodiscard]] constexpr std::int64_t stride_of(std::int64_t stride, std::int64_t length) noexcept {
  return stride == 0 ? length : stride;
}

/// Elements from the first of a matrix to its last, gaps included; 0 if it has none.
[[nodiscard]] constexpr std::int64_t span_of(std::int64_t lines, std::int64_t length,
                                             std::int64_t stride) noexcept {
  return lines == 0 || length == 0 ? 0 : (lines - 1) * stride_of(stride, length) + length;
}

/// launch_error::too_small for lines that overlap, launch_error::size beyond 2^60 elements.
///   stride  0: dense
status checked_stride(const char* name, std::int64_t stride, std::int64_t lines,
                      std::int64_t length);

/// Done if sizes are not negative and their product is below 2^40 elements.
status countable(const matrix_shape& shape);

status checked(const quantize_request& request);
status checked(const dequantize_request& request);
status checked(const fake_quantize_request& request);
status checked(const decompose_request& request);
status checked(const rotate_quantize_request& request);

/// The request without its rotation; equal to the request of quantize that a rotation of size 0 is.
[[nodiscard]] quantize_request unrotated(const rotate_quantize_request& request);

/// The first error; done if there is none.
status first_error(std::initializer_list<status> answers);

}  // namespace mx::kernels
