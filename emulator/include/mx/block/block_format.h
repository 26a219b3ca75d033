// SPDX-License-Identifier: Apache-2.0
// mx/block/block_format.h: elements, scale and shape of a block, as a value; the named ones.
// Source: OCP Microscaling Formats (MX) v1.0, clause 5.2 (MXFP8, MXFP6, MXFP4, MXINT8); NVFP4 as in
// TransformerEngine's cast/nvfp4; DeepSeek-V3 (arXiv 2412.19437), 3.3 (1x128 and 128x128).
#pragma once
#include "mx/number/formats.h"

namespace mx {

/// Scaling above the block.
///   none        nothing
///   per_tensor  one FP32 factor for all blocks      per_row  one for each row along the axis
enum class tensor_scaling : std::uint8_t { none, per_tensor, per_row };

///   stored  the scale is a code of its format
///   exact   amax / max unrounded: cannot be stored; isolates the cost of rounding the scale
enum class scale_precision : std::uint8_t { stored, exact };

/// Scale of the largest block of a tensor, which bounds the tensor scale.
///   largest  the largest of the scale format (448)      of_256  256 (four over six)
enum class tensor_bound : std::uint8_t { largest, of_256 };

struct block_format {
  format element = formats::e2m1;
  format scale = formats::e8m0;
  int rows = 1;      ///< of a block; above 1 it is a tile of the last two axes
  int columns = 32;  ///< of a block, along the axis
  scale_precision precision = scale_precision::stored;
  tensor_scaling tensor = tensor_scaling::none;
  tensor_bound bound = tensor_bound::largest;

  [[nodiscard]] MX_HD constexpr int size() const noexcept { return rows * columns; }
  [[nodiscard]] MX_HD constexpr bool has_tensor_scale() const noexcept {
    return tensor != tensor_scaling::none;
  }
  friend constexpr bool operator==(const block_format&, const block_format&) = default;
};

namespace block_formats {

inline constexpr block_format mxfp4{};
inline constexpr block_format mxfp6_e2m3{formats::e2m3};
inline constexpr block_format mxfp6_e3m2{formats::e3m2};
inline constexpr block_format mxfp8_e4m3{formats::e4m3};
inline constexpr block_format mxfp8_e5m2{formats::e5m2};
inline constexpr block_format mxint8{formats::int8};
inline constexpr block_format nvfp4{
    formats::e2m1, formats::ue4m3, 1, 16, scale_precision::stored, tensor_scaling::per_tensor};
inline constexpr block_format nvfp4_2d{
    formats::e2m1, formats::ue4m3, 16, 16, scale_precision::stored, tensor_scaling::per_tensor};
inline constexpr block_format fp8_1x128{formats::e4m3, formats::binary32, 1, 128};
inline constexpr block_format fp8_128x128{formats::e4m3, formats::binary32, 128, 128};

}  // namespace block_formats
}  // namespace mx
