// SPDX-License-Identifier: Apache-2.0
// mx/kernels/decompose.h: the parts of the quantization error of matrices on a CUDA device.
// Source: of what the sums are, mx/block/energy.h.
#pragma once
#include "mx/block/energy_sums.h"
#include "mx/kernels/quantize.h"

namespace mx::kernels {

/// What decompose is asked for: the energies of the error that quantize makes of rows.
///   how     as quantize's
///   shares  of the device's memory: energies of each share of blocks (mx/block/energy.h), as many as
///           shares_of says
///   sum     of the device's memory too: their sum, in their order; null: not wanted
struct decompose_request {
  quantization how;
  number_type input = number_type::fp32;
  matrix_shape shape;
  const void* x = nullptr;
  const float* tensor_scale = nullptr;
  error_energy* shares = nullptr;
  error_energy* sum = nullptr;
};

/// Shares of the rows of a matrix; 0 where a size is negative.
[[nodiscard]] std::int64_t shares_of(const block_format& f, const matrix_shape& shape);

/// Energies in one pass over the matrix. Each share equals mx::energy_share over its blocks.
///   errors  as quantize's
status decompose(const decompose_request& request, stream on);

/// The sum of shares that were copied from the device: equals mx::decompose_tensor of the matrix.
[[nodiscard]] error_energy sum_of(const error_energy* shares, std::int64_t count);

}  // namespace mx::kernels
