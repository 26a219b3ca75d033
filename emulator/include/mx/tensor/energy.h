// SPDX-License-Identifier: Apache-2.0
// mx/tensor/energy.h: the parts of the quantization error of whole tensors; threaded, vectorized
// where it pays, and equal to mx::energy_share bit for bit.
#pragma once
#include "mx/block/energy_sums.h"
#include "mx/tensor/blocks.h"

namespace mx {

/// Energies of the parts of a tensor's error. Equals adding every block, in the order of the
/// scales, to one mx::energy_share after the other, and mx::sum_of_shares of these, for any number
/// of threads.
///   x              any alignment; FP16 and BF16 are widened, which is exact
///   tensor_scales  as many as in sizes_of (mx/tensor/blocks.h); ignored if the format has none
///   done           receives counts of finished blocks, from several threads at once
///   errors         throws std::invalid_argument if refusal_of(q) is not none, or if tiles are
///                  combined with an inner axis or a tensor scale for each row
[[nodiscard]] error_energy decompose_tensor(const quantization& q, number_type type, const void* x,
                                            const blocked_shape& shape,
                                            const float* tensor_scales = nullptr,
                                            const blocks_done& done = {});

}  // namespace mx
