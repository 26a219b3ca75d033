// SPDX-License-Identifier: Apache-2.0
// golden/validator/tensor/whole_arrays.h: a tensor under a recipe with corrections or two passes,
// whose codes come from the whole tensor at once. Equals mx::quantize_tensor
// (mx/tensor/coded_tensor.h).
#pragma once
#include <vector>

#include "golden/validator/hypothesis.h"
#include "mx/tensor/coded_shape.h"
#include "subject.h"

namespace golden::validator {

/// Codes one a byte along the padded axis, scales in linear order; the arrays that the recipe lacks
/// are empty.
struct whole_arrays {
  struct pass {
    std::vector<std::uint8_t> codes, scales, macro_fractions;
  };
  pass first, residual;
  std::vector<float> tensor_scales;
};

///   errors  requires a geometry of the hypothesis
[[nodiscard]] whole_arrays whole_arrays_of(const hypothesis& r, const subject& s);

/// How a tensor is cut under a hypothesis.
[[nodiscard]] mx::tensor_axes axes_of(const hypothesis& r, const subject& s);

}  // namespace golden::validator
