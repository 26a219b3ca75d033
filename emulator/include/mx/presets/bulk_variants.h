// SPDX-License-Identifier: Apache-2.0
// mx/presets/bulk_variants.h: whole tensors quantized and decoded by the presets of public kernels;
// threaded.
// Equals the presets' own quantize_block and dequantize_element (mx/presets/variants.h) on every
// block.
#pragma once
#include "mx/presets/variants.h"
#include "mx/tensor/blocks.h"

namespace mx {

/// Whether a preset quantizes to blocks; and whether it decodes them.
[[nodiscard]] constexpr bool is_quantizer(const variant_entry& entry) noexcept {
  return entry.family == variant_family::mx || entry.family == variant_family::nvfp4;
}
[[nodiscard]] constexpr bool is_decoder(const variant_entry& entry) noexcept {
  return entry.family != variant_family::element;
}

/// A preset's scale of a whole tensor or row, and the amax from which it is derived.
///   amax   as computed by the preset      scale  final factor of decoded values
struct variant_tensor_scale {
  float amax = 0, scale = 1;
};

/// The scales above the blocks, as many as sizes_of returns; none for presets without such scales.
///   x       FP32 in the order of the shape
///   scales  receives them
void choose_variant_scales(const variant_entry& entry, const block_format& f, const float* x,
                           const blocked_shape& shape, variant_tensor_scale* scales);

/// Writes codes, one a byte, and scales, one byte each, of every block as the preset computes them.
///   returns  the number of blocks with NaN or Inf
std::uint64_t quantize_by_variant(const variant_entry& entry, const block_format& f, const float* x,
                                  const blocked_shape& shape, const variant_tensor_scale* tensor,
                                  std::uint8_t* codes, std::uint8_t* scales,
                                  const blocks_done& done);

/// The same by an unnamed order of operations of NVFP4.
std::uint64_t quantize_by_variant(const nvfp4_variant& v, const block_format& f, const float* x,
                                  const blocked_shape& shape, const variant_tensor_scale* tensor,
                                  std::uint8_t* codes, std::uint8_t* scales,
                                  const blocks_done& done);

/// Writes the values in the arithmetic of the preset's own decoder.
void dequantize_by_variant(const variant_entry& entry, const block_format& f,
                           const std::uint8_t* codes, const std::uint8_t* scales,
                           const blocked_shape& shape, const variant_tensor_scale* tensor, float* x,
                           const blocks_done& done);

}  // namespace mx
