// SPDX-License-Identifier: Apache-2.0
// golden/bindings/python/array.h: Python arrays as bytes, without copies.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "golden/bindings/python/bound.h"
#include "golden/bindings/python/status.h"

namespace python {

/// Input bytes and output bytes, created by mxprism/_array.py.
using read_bytes = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using written_bytes = nb::ndarray<std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// mx_buffer serves for input and output, hence the const_cast.
inline mx_buffer buffer_of(const read_bytes& bytes) {
  return {const_cast<std::uint8_t*>(bytes.data()), bytes.size()};
}
inline mx_buffer buffer_of(const written_bytes& bytes) { return {bytes.data(), bytes.size()}; }
template <class Bytes>
mx_buffer buffer_of(const std::optional<Bytes>& bytes) {
  return bytes ? buffer_of(*bytes) : mx_buffer{nullptr, 0};
}

/// FP32 numbers from their bytes.
inline std::vector<float> floats_in(const read_bytes& bytes) {
  std::vector<float> numbers(bytes.size() / sizeof(float));
  if (!numbers.empty()) std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(float));
  return numbers;
}

/// A view of extents, valid as long as they are.
inline mx_shape shape_of(const std::vector<std::uint64_t>& extents, std::int32_t axis) {
  return {extents.data(), static_cast<std::uint32_t>(extents.size()), axis};
}

/// The arrays of mx_coded in declaration order.
inline constexpr std::array coded_buffers{
    &mx_coded::codes,           &mx_coded::scales,
    &mx_coded::tensor_scales,   &mx_coded::tensor_amax,
    &mx_coded::macro_fractions, &mx_coded::residual_codes,
    &mx_coded::residual_scales, &mx_coded::residual_macro_fractions};

/// mx_coded from these arrays.
template <class Bytes>
mx_coded coded_of(const std::vector<Bytes>& arrays) {
  auto coded = sized<mx_coded>();
  if (arrays.size() != coded_buffers.size()) throw nb::value_error("expected eight arrays");
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    if (arrays[i].size() > 0) coded.*coded_buffers[i] = buffer_of(arrays[i]);
  }
  return coded;
}

}  // namespace python
