// SPDX-License-Identifier: Apache-2.0
// mx/presets/bulk_variants.h: whole tensors quantized and decoded by the presets of public kernels;
// threaded. Equals the presets' own quantize_block and dequantize_element (mx/presets/variants.h)
// on every block.
#pragma once
#include "mx/block/corrected_quantizer.h"
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

/// The random bits of presets that round stochastically. Kernels leave to their caller which bits
/// of which word serve an element; here they are those of mx::rounder_of with 8 bits.
struct preset_random {
  random_source from;
  block_numbers numbers;  ///< of the blocks, for the elements' indices

  /// The bits of a block's elements, one byte each.
  ///   block  from 0 on      size  elements of a block
  MX_HD constexpr void draw(std::uint64_t block, int size, std::uint8_t* bits) const noexcept {
    random_source eight = from;
    eight.bits = 8;
    const std::uint64_t number = numbers.first + block * numbers.step;
    for (int i = 0; i < size; ++i) {
      const std::uint64_t index = number * static_cast<std::uint64_t>(size);
      bits[i] =
          static_cast<std::uint8_t>(random_bits_of(eight, index + static_cast<std::uint64_t>(i)));
    }
  }
};

/// Caller-owned arrays of a preset's blocks.
///   codes, scales  one a byte, in the order of the blocks
///   above          the scales above them, given; null where the preset has none
struct variant_arrays {
  std::uint8_t *codes, *scales;
  const variant_tensor_scale* above = nullptr;
};
struct constant_variant_arrays {
  const std::uint8_t *codes, *scales;
  const variant_tensor_scale* above = nullptr;
};

/// Writes the codes and scales of every block as the preset computes them.
///   random   used if draws_bits(entry)
///   returns  the number of blocks with NaN or Inf
std::uint64_t quantize_by_variant(const variant_entry& entry, const block_format& f, const float* x,
                                  const blocked_shape& shape, const variant_arrays& out,
                                  const preset_random& random = {}, const blocks_done& done = {});

/// The same by an unnamed order of operations of NVFP4.
std::uint64_t quantize_by_variant(const nvfp4_variant& v, const block_format& f, const float* x,
                                  const blocked_shape& shape, const variant_arrays& out,
                                  const preset_random& random = {}, const blocks_done& done = {});

/// Writes the values in the arithmetic of the preset's own decoder.
void dequantize_by_variant(const variant_entry& entry, const block_format& f,
                           const constant_variant_arrays& in, const blocked_shape& shape, float* x,
                           const blocks_done& done = {});

}  // namespace mx
