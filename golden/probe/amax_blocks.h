// SPDX-License-Identifier: Apache-2.0
// golden/probe/amax_blocks.h: blocks by their largest magnitude, at which scale rules differ, filled
// with numbers at which roundings do.
#pragma once
#include <string>
#include <vector>

#include "mx/tensor/blocks.h"

namespace golden::probe {

/// A block of FP32 numbers, and what it is for.
struct noted_block {
  std::string what;
  std::vector<float> values;
};

/// How far around a threshold magnitudes are taken: 44 ULP, or one on either side.
enum class threshold_reach : std::uint8_t { wide, near };

/// Largest magnitudes around every threshold of a scale rule, in binades from end to end.
[[nodiscard]] std::vector<noted_block> amax_blocks(const mx::block_format& f,
                                                   threshold_reach reach);

/// NaN and Inf of every sign and place, zeros of both signs, and what becomes zero.
[[nodiscard]] std::vector<noted_block> special_blocks(const mx::block_format& f);

/// Every largest magnitude of 8 significant bits in [2^-11, 4).
[[nodiscard]] std::vector<noted_block> short_amax_blocks(const mx::block_format& f);

}  // namespace golden::probe
