// SPDX-License-Identifier: Apache-2.0
// sim/cli/quantize/coded_tensor.h: a tensor as codes, scales and what else its format keeps, ready
// for a file.
#pragma once
#include <vector>

#include "sim/cli/quantize/stored_array.h"

namespace sim::cli {

struct coded_tensor {
  std::vector<stored_array> arrays;
  std::uint64_t blocks = 0, special_blocks = 0;
  std::uint64_t granules = 0, fallen_back = 0;  ///< of an outlier fallback
};

/// Refuses, before any work, what can be quantized but not stored so, with the remedy.
///   errors  usage_error, file_error
void expect_storable(const golden::io::tensor& x, const blocked_tensor& t,
                     const chosen_rules& rules, const storage& how);

/// Quantizes a tensor of F32, F16 or BF16.
[[nodiscard]] coded_tensor coded(const golden::io::tensor& x, const blocked_tensor& t,
                                 const chosen_rules& rules, const storage& how, progress_bar& bar);

}  // namespace sim::cli
