// SPDX-License-Identifier: Apache-2.0
// golden/bindings/python/array.h: Python arrays as bytes, without copies.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "golden/bindings/python/status.h"

namespace python {

namespace nb = nanobind;

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

/// A view of extents, valid as long as they are.
inline mx_shape shape_of(const std::vector<std::uint64_t>& extents, std::int32_t axis) {
  return {extents.data(), static_cast<std::uint32_t>(extents.size()), axis};
}

/// mx_coded from its arrays in declaration order.
template <class Bytes>
mx_coded coded_of(const std::vector<Bytes>& arrays) {
  auto coded = sized<mx_coded>();
  mx_buffer* const members[] = {&coded.codes,           &coded.scales,
                                &coded.tensor_scales,   &coded.tensor_amax,
                                &coded.macro_fractions, &coded.residual_codes,
                                &coded.residual_scales, &coded.residual_macro_fractions};
  if (arrays.size() != std::size(members)) throw nb::value_error("expected eight arrays");
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    if (arrays[i].size() > 0) *members[i] = buffer_of(arrays[i]);
  }
  return coded;
}

}  // namespace python
