// SPDX-License-Identifier: Apache-2.0
// sim/cli/quantize/coded_tensor.h: a tensor as codes, scales and further arrays of its recipe,
// ready for a file.
#pragma once
#include <optional>
#include <vector>

#include "golden/io/owned_tensor.h"
#include "mx/tensor/coded_tensor.h"
#include "sim/cli/rules/chosen_recipe.h"
#include "sim/cli/terminal/progress_bar.h"

namespace sim::cli {

/// The arrays of a coded tensor in file order: codes, scales, macro_fractions; the same of the
/// residual with prefix `residual.`; tensor_scale; tensor_amax of presets.
struct coded_tensor {
  std::vector<golden::io::owned_tensor> arrays;
  mx::coding_counts counts;
};

/// How a tensor is cut into blocks.
///   requested   the axis, negative: from the end; no value: the last one
///   errors  file_error where the tensor has no such axis, or the recipe does not support it
[[nodiscard]] mx::tensor_axes axes_of(const golden::io::tensor& tensor,
                                      std::optional<int> requested, const mx::recipe& r);

/// Refuses, before any work, results that cannot be stored.
///   errors  usage_error, file_error
void expect_storable(const golden::io::tensor& x, const mx::tensor_axes& t, const mx::recipe& r);

/// Type of a format's stored scales.
[[nodiscard]] golden::io::dtype scale_type(const mx::block_format& f);

/// The type of a tensor's numbers, as an argument of kernels.
[[nodiscard]] mx::number_type number_type_of(const golden::io::tensor& numbers);

/// Uninitialized arrays of the right shapes, and pointers to their bytes.
struct coded_space {
  std::vector<golden::io::owned_tensor> arrays;
  mx::coded_arrays places;

  coded_space(const mx::recipe& r, const mx::coded_shape& s);
};

/// Quantizes a tensor of F32, F16 or BF16.
///   errors  none, once both checks of storage have passed
[[nodiscard]] coded_tensor coded(const golden::io::tensor& x, const mx::tensor_axes& t,
                                 const mx::recipe& r, progress_bar& bar);

}  // namespace sim::cli
