// SPDX-License-Identifier: Apache-2.0
// golden/probe/tensor_scale_numbers.h: the tensor scale of a kernel beside those of known orders of
// operations.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "golden/validator/tensor/subject.h"
#include "mx/block/block_format.h"

namespace golden::probe {

/// FP32 numbers for one tensor, whose largest finite magnitude is amax and the reach 2688 or 1536.
///   divided  amax / reach            multiplied  amax * (1 / reach)
///   in_two   (amax / bound) / 6      inverted    1 / (reach / amax)
struct tensor_scale_numbers {
  std::string tensor = {};
  float found = 0, divided = 0, multiplied = 0, in_two = 0, inverted = 0;
};

/// Magnitudes on which all formulas of a tensor scale differ that differ on any number of few bits:
/// as few as a greedy search finds.
[[nodiscard]] std::vector<float> magnitudes_of_scales(const mx::block_format& f,
                                                      mx::number_type type);

/// Those of a tensor, without the found one.
[[nodiscard]] tensor_scale_numbers numbers_for(const mx::block_format& f, float amax);

/// Those of tensors with a stored scale on which the orders differ; empty if the format has none.
[[nodiscard]] std::vector<tensor_scale_numbers> tensor_scales_of(
    const mx::block_format& f, std::span<const validator::subject> subjects);

}  // namespace golden::probe
