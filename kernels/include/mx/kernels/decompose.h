// SPDX-License-Identifier: Apache-2.0
// mx/kernels/decompose.h: the parts of the quantization error of matrices on a CUDA device.
// Source: mx/block/energy.h (the sums).
#pragma once
#include "mx/block/energy_sums.h"
#include "mx/kernels/quantize.h"

namespace mx::kernels {

/// Request of decompose: the energies of the error of quantizing rows.
///   how     as fake_quantize's
///   shares  in device memory: energies of each share of blocks (mx/block/energy.h), shares_of
///           entries; share_entries_of if there is a sum
///   sum     in device memory: mx::sum_of_shares of them; null: not computed
///   x_stride  as quantize's
struct decompose_request {
  recipe how;
  number_type input = number_type::fp32;
  matrix_shape shape;
  const void* x = nullptr;
  const float* tensor_scale = nullptr;
  error_energy* shares = nullptr;
  error_energy* sum = nullptr;
  std::int64_t x_stride = 0;
};

/// Number of shares of the rows of a matrix; 0 if a size is negative.
[[nodiscard]] std::int64_t shares_of(const block_format& f, const matrix_shape& shape);

/// Entries of the shares of a request with a sum: the shares, then the sums of each 128 of them,
/// then of each 128 of those, and so on.
[[nodiscard]] std::int64_t share_entries_of(const block_format& f, const matrix_shape& shape);

/// Computes the energies in one pass. Each share equals mx::energy_share over its blocks.
///   errors  as quantize's
status decompose(const decompose_request& request, stream on);

/// Sum of shares copied from the device; equals mx::decompose_tensor of the matrix.
[[nodiscard]] error_energy sum_of(const error_energy* shares, std::int64_t count);

}  // namespace mx::kernels
