// SPDX-License-Identifier: Apache-2.0
// golden/probe/amax_blocks.h: blocks with an amax at which scale rules differ, filled with numbers
// at which roundings differ.
#pragma once
#include <string>
#include <vector>

#include "mx/tensor/blocks.h"

namespace golden::probe {

/// A block of FP32 numbers, and its purpose.
struct noted_block {
  std::string what;
  std::vector<float> values;
};

/// Range of magnitudes tested around a threshold: 44 ULP, or one on either side.
enum class threshold_reach : std::uint8_t { wide, near };

/// An amax around every threshold of a scale rule, in binades over the whole range.
[[nodiscard]] std::vector<noted_block> amax_blocks(const mx::block_format& f,
                                                   threshold_reach reach);

/// NaN and Inf of every sign and position, zeros of both signs, and numbers that become zero.
[[nodiscard]] std::vector<noted_block> special_blocks(const mx::block_format& f);

/// Every amax of 8 significant bits in [2^-11, 4).
[[nodiscard]] std::vector<noted_block> short_amax_blocks(const mx::block_format& f);

}  // namespace golden::probe
