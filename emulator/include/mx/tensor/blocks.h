// SPDX-License-Identifier: Apache-2.0
// mx/tensor/blocks.h: quantization of whole tensors to codes and scales, and back; threaded,
// vectorized, and equal to mx::quantize_block and mx::dequantize_element bit for bit.
// The widest instruction set of the machine is chosen at run time (mx/tensor/bulk.h); threads are
// TBB's, as many as tbb::global_control allows, and change no bit.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>

#include "mx/block/block_quantizer.h"
#include "mx/tensor/packing.h"

namespace mx {

/// Number format of a tensor's elements before they are quantized.
enum class number_type : std::uint8_t { fp32, fp16, bf16 };

[[nodiscard]] constexpr std::uint64_t bytes_of(number_type type) noexcept {
  return type == number_type::fp32 ? 4 : 2;
}

/// A row-major tensor whose blocks run along `length`; tiles extend over rows of `rows` as well.
///   element (o, r, a, i) lies at ((o * rows + r) * length + a) * inner + i
///   codes    the same order, the axis padded with zeros to whole blocks, halved where packed
///   scales   in the order (o, row of blocks, block along the axis, i)
///   inner    must be 1 if the format's blocks have several rows
struct blocked_shape {
  std::uint64_t outer = 1, rows = 1, length = 0, inner = 1;

  [[nodiscard]] constexpr std::uint64_t elements() const noexcept {
    return outer * rows * length * inner;
  }
};

/// Sizes of a quantized tensor: counts of blocks, and bytes to provide.
struct blocked_sizes {
  std::uint64_t blocks_along = 0;      ///< of one line along the axis
  std::uint64_t blocks = 0;            ///< scales
  std::uint64_t code_bytes_along = 0;  ///< length of the codes' axis
  std::uint64_t code_bytes = 0;
  std::uint64_t bytes_a_scale = 1;  ///< 1, 2 or 4, little-endian; 0 if the scale is exact
  std::uint64_t tensor_scales = 0;  ///< none, one, or one a line in the order (o, r, i)

  [[nodiscard]] constexpr std::uint64_t scale_bytes() const noexcept {
    return blocks * bytes_a_scale;
  }
};

[[nodiscard]] constexpr blocked_sizes sizes_of(const block_format& f, const blocked_shape& shape,
                                               code_packing packing) noexcept {
  const auto rows = static_cast<std::uint64_t>(f.rows);
  const auto columns = static_cast<std::uint64_t>(f.columns);
  const bool halved = packing == code_packing::packed && f.element.width() == 4;
  const int bits = f.scale.width();
  blocked_sizes s;
  s.blocks_along = shape.length / columns + (shape.length % columns != 0 ? 1 : 0);
  const std::uint64_t row_blocks = shape.rows / rows + (shape.rows % rows != 0 ? 1 : 0);
  s.blocks = shape.outer * row_blocks * s.blocks_along * shape.inner;
  const std::uint64_t padded = s.blocks_along * columns;
  s.code_bytes_along = halved ? padded / 2 + padded % 2 : padded;
  s.code_bytes = shape.outer * shape.rows * s.code_bytes_along * shape.inner;
  s.bytes_a_scale = bits <= 8 ? 1 : (bits <= 16 ? 2 : 4);
  if (f.precision == scale_precision::exact) s.bytes_a_scale = 0;
  if (f.tensor == tensor_scaling::per_tensor) s.tensor_scales = 1;
  if (f.tensor == tensor_scaling::per_row) s.tensor_scales = shape.outer * shape.rows * shape.inner;
  return s;
}

/// Output arrays of codes and scales; sizes as sizes_of returns them, any alignment.
///   tensor_scales  scales above the blocks; ignored if the format has none
struct coded_blocks {
  void* codes = nullptr;
  void* scales = nullptr;
  const float* tensor_scales = nullptr;
  code_packing packing = code_packing::packed;
};

/// The same as input arrays.
struct constant_coded_blocks {
  const void* codes = nullptr;
  const void* scales = nullptr;
  const float* tensor_scales = nullptr;
  code_packing packing = code_packing::packed;
};

/// Receives the number of blocks finished since the last call; called from several threads at once.
/// An exception from it stops the work and propagates to the caller.
using blocks_done = std::function<void(std::uint64_t blocks)>;

/// Quantizes a tensor. Equals mx::quantize_block on every block, whose number is its place among
/// the scales.
///   x        any alignment; FP16 and BF16 are widened, which is exact
///   returns  the number of special blocks: with NaN or Inf, which take the scale NaN and codes 0
///   errors   throws std::invalid_argument if refusal_of(q) is not none, or tiles are combined with
///            an inner axis or a tensor scale for each row
std::uint64_t quantize_tensor(const quantization& q, number_type type, const void* x,
                              const blocked_shape& shape, const coded_blocks& out,
                              const blocks_done& done = {});

/// The values as FP32, without the padding. Equals mx::dequantize_element on every element.
///   codes   bits above the width of the element are ignored
///   errors  as quantize_tensor; and if the format's scales cannot be stored
void dequantize_tensor(const block_format& f, const constant_coded_blocks& in,
                       const blocked_shape& shape, void* out, const blocks_done& done = {});

/// Writes the tensor scales of a tensor, as many as sizes_of returns: mx::tensor_scale_of of the
/// largest finite magnitude.
void choose_tensor_scales(const block_format& f, number_type type, const void* x,
                          const blocked_shape& shape, float* scales);

static_assert(sizes_of(block_formats::mxfp4, {.length = 33}, code_packing::packed).code_bytes ==
              32);
static_assert(sizes_of({formats::e2m1, formats::e8m(5), 1, 5}, {.outer = 3, .length = 5},
                       code_packing::packed)
                  .code_bytes == 9);

}  // namespace mx
