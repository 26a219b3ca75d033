// SPDX-License-Identifier: Apache-2.0
// golden/vectors/dot_measure.h: the lengths and exponents at which a dot product rule decides.
#pragma once
#include <optional>
#include <vector>

#include "golden/reference/device_models.h"

namespace golden {

/// Operands of a rule's alignment or rounding: products, or the sums of blocks.
enum class deciding : unsigned char { products, blocks, both };

///   step           products between two roundings, or of one instruction
///   windows        distances below the largest exponent at which terms are truncated; without
///                  truncation, the first bit below a result
///   zero_exponent  of a zero term; nothing if zeros are ignored by the alignment
///   output         format of the last rounding
///   by             blocks only if there are scales
struct dot_measure {
  std::size_t step = 1;
  std::vector<int> windows = {24};
  std::optional<int> zero_exponent = std::nullopt;
  output_format output = outputs::ieee_rne_fp32;
  deciding by = deciding::products;
};

[[nodiscard]] dot_measure measure_of(const device_model& model);

}  // namespace golden
