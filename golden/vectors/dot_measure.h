// SPDX-License-Identifier: Apache-2.0
// golden/vectors/dot_measure.h: the lengths and exponents at which a rule of dot products decides.
#pragma once
#include <optional>
#include <vector>

#include "golden/reference/device_models.h"

namespace golden {

/// What a rule aligns or rounds by: products, or the sums of blocks.
enum class deciding : unsigned char { products, blocks, both };

///   step           products after which there is a rounding, or of which one instruction is made
///   windows        how far below the largest exponent terms are cut off; where none are, the first
///                  bit below a result
///   zero_exponent  of a term that is zero; nothing where zeros have no part in an alignment
///   output         of the last rounding
///   by             blocks only where there are scales
struct dot_measure {
  std::size_t step = 1;
  std::vector<int> windows = {24};
  std::optional<int> zero_exponent = std::nullopt;
  output_format output = outputs::ieee_rne_fp32;
  deciding by = deciding::products;
};

[[nodiscard]] dot_measure measure_of(const device_model& model);

}  // namespace golden
