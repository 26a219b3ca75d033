// SPDX-License-Identifier: Apache-2.0
// sim/cli/explained_block.h: one block's quantization with every step kept.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "mx/components.h"

namespace sim::cli {

/// How the code of an element came about.
enum class decision : unsigned char { exact, nearer, tie, saturated, special };

struct explained_element {
  float x = 0;
  mx::unpacked scaled;    ///< x / scale
  mx::e2m1 lower, upper;  ///< neighbours in magnitude; the same where it is exact or beyond
  decision why = decision::exact;
  mx::e2m1 code;
  float value = 0;  ///< what code and scale stand for
  mx::compared_element compared;
};

struct explained_block {
  mx::scale_rule rule = mx::scale_rule::floor;
  mx::block_extent extent;
  int exponent = 0;  ///< of the scale, before it was clamped; only where amax is not zero
  mx::e8m0 scale;
  std::vector<explained_element> elements;  ///< those that were given
};

/// x  1 to 32 values; zeros are thought behind them
[[nodiscard]] explained_block explained(const std::vector<float>& x, mx::scale_rule rule);

}  // namespace sim::cli
