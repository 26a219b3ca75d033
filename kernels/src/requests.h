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
