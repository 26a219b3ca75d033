// SPDX-License-Identifier: Apache-2.0
// golden/validator/tensor/whole_arrays.cpp: quantizes a whole tensor into arrays of its own.
#include "whole_arrays.h"

#include "mx/tensor/coded_tensor.h"

namespace golden::validator {
namespace {

void allocate(const mx::coded_shape& s, whole_arrays::pass& arrays,
              mx::pass_arrays<std::uint8_t>& places) {
  arrays.codes.resize(s.codes.bytes());
  arrays.scales.resize(s.scales.bytes());
  arrays.macro_fractions.resize(s.macro_fractions.bytes());
  places = {arrays.codes.data(), arrays.scales.data(), arrays.macro_fractions.data()};
}

}  // namespace

mx::tensor_axes axes_of(const hypothesis& r, const subject& s) {
  return {s.shape, s.shape.size() - 1 - r.axis};
}

whole_arrays whole_arrays_of(const hypothesis& r, const subject& s) {
  mx::recipe linear = r.recipe;
  linear.codes = {mx::code_packing::unpacked, mx::nibble_order::low_first};
  linear.layout = mx::scale_layout::linear;
  const mx::coded_shape shape = mx::coded_shape_of(linear, axes_of(r, s));
  whole_arrays made;
  mx::coded_arrays places;
  allocate(shape, made.first, places.first);
  if (linear.corrections.has_residual()) allocate(shape, made.residual, places.residual);
  made.tensor_scales.resize(shape.sizes.tensor_scales);
  places.tensor_scales = reinterpret_cast<std::uint8_t*>(made.tensor_scales.data());
  static_cast<void>(mx::quantize_tensor(linear, shape, s.type, s.values.data(), nullptr, places));
  return made;
}

}  // namespace golden::validator
