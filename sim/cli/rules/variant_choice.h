// SPDX-License-Identifier: Apache-2.0
// sim/cli/rules/variant_choice.h: the presets of public kernels, by what the command does with
// them.
#pragma once
#include <optional>
#include <string>

#include "mx/bulk_blocks.h"
#include "mx/packing.h"

namespace mx {
struct variant_entry;
}

namespace sim::cli {

/// The preset of a name.
///   errors  usage_error with the nearest name
[[nodiscard]] const mx::variant_entry& variant_chosen(const std::string& name);
[[nodiscard]] std::string name_of(const mx::variant_entry& entry);

/// The format a preset quantizes to: the one asked for, or its first.
///   errors  usage_error where it has no such format
[[nodiscard]] mx::block_format format_of_variant(const mx::variant_entry& entry,
                                                 const std::optional<std::string>& asked);

/// The order of nibbles that its kernels have.
[[nodiscard]] mx::nibble_order nibbles_of(const mx::variant_entry& entry);

/// Refuses (usage_error) presets that make no scales, or decode nothing.
void expect_quantizer(const mx::variant_entry& entry);
void expect_decoder(const mx::variant_entry& entry);

/// What a preset needs to know of a whole tensor or row, and what it writes of it.
///   amax   as the preset takes it      scale  what values are multiplied by in the end
struct variant_tensor_scale {
  float amax = 0, scale = 1;
};

/// The scales above the blocks, as many as mx::sizes_of says; none for presets without.
///   x       FP32 in the order of the shape
///   scales  space for them
void choose_variant_scales(const mx::variant_entry& entry, const mx::block_format& f,
                           const float* x, const mx::blocked_shape& shape,
                           variant_tensor_scale* scales);

/// Codes, one a byte, and scales, one byte each, of every block as the preset makes them.
///   returns  the number of blocks with NaN or Inf
std::uint64_t quantize_by_variant(const mx::variant_entry& entry, const mx::block_format& f,
                                  const float* x, const mx::blocked_shape& shape,
                                  const variant_tensor_scale* tensor, std::uint8_t* codes,
                                  std::uint8_t* scales, const mx::blocks_done& done);

/// The values as the preset's own decoder has them.
void dequantize_by_variant(const mx::variant_entry& entry, const mx::block_format& f,
                           const std::uint8_t* codes, const std::uint8_t* scales,
                           const mx::blocked_shape& shape, const variant_tensor_scale* tensor,
                           float* x, const mx::blocks_done& done);

}  // namespace sim::cli
