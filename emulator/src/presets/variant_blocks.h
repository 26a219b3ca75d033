// SPDX-License-Identifier: Apache-2.0
// emulator/src/presets/variant_blocks.h: blocks quantized as by the presets of public kernels, with
// FP32 operations of the processor and codes from a table. Equals the presets' quantize_block.
#pragma once
#include "mx/block/block_format.h"
#include "mx/presets/variants.h"
#include "presets/conversion_table.h"
#include "presets/preset_batch.h"
#include "presets/step_table.h"

namespace mx {

/// The magnitudes of a block.
///   largest  pattern of the largest; above that of Inf if there is a NaN
struct block_magnitudes {
  std::uint32_t largest = 0;

  block_magnitudes(const float* x, int count) {
    for (int i = 0; i < count; ++i) {
      const std::uint32_t size = bits_of(x[i]) & 0x7FFFFFFF;
      largest = size > largest ? size : largest;
    }
  }
  [[nodiscard]] bool is_special() const { return largest >= 0x7F800000; }
};

/// A block's scale, and the number by which its elements become codes (presets/preset_batch.h).
struct block_number {
  std::uint8_t code = 0;
  float number = 1;
};

/// Presets with E8M0 scales.
class mx_variant_blocks {
 public:
  /// Whether there are enough blocks to justify a table.
  enum class amount : unsigned char { few, many };

  mx_variant_blocks(const mx_variant& v, const block_format& f, amount blocks);

  /// x and codes hold f.size() numbers; returns the scale's code.
  std::uint8_t quantize(const float* x, const block_magnitudes& sizes, std::uint8_t* codes) const;

  /// How many blocks become codes at once.
  [[nodiscard]] preset_elements elements() const { return elements_; }

  /// The number of a block whose largest magnitude has a pattern.
  ///   returns  false if the block is left to quantize()
  [[nodiscard]] bool choose(std::uint32_t largest, block_number& chosen) const;

 private:
  void convert(const float* x, const variant_scale& scale, std::uint8_t* codes) const;

  const mx_variant& variant_;
  block_format format_;
  const conversion_table* table_ = nullptr;
  preset_elements elements_ = preset_elements::none;
  const step_table* scales_ = nullptr;  ///< from amax to the scale's code
};

/// Presets with UE4M3 scales.
class nvfp4_variant_blocks {
 public:
  nvfp4_variant_blocks(const nvfp4_variant& v, mx_variant_blocks::amount blocks);

  ///   tensor  the tensor scale above the block
  std::uint8_t quantize(const float* x, const block_magnitudes& sizes, const nvfp4_tensor& tensor,
                        std::uint8_t* codes) const;

  [[nodiscard]] preset_elements elements() const { return elements_; }
  [[nodiscard]] bool choose(std::uint32_t largest, const nvfp4_tensor& tensor,
                            block_number& chosen) const;

 private:
  [[nodiscard]] float scaled(float x, float multiplier, const nvfp4_tensor& tensor) const;

  const nvfp4_variant& variant_;
  const conversion_table* table_ = nullptr;
  preset_elements elements_ = preset_elements::none;
  const step_table* scales_ = nullptr;  ///< from the encoded number to the scale's code
  float reach_ = 6;                     ///< reach_of(order, 1)
  float numbers_[128] = {};             ///< values of the scale codes
};

}  // namespace mx
