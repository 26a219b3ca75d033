// SPDX-License-Identifier: Apache-2.0
// mx/tensor/coded_tensor.h: quantization of whole tensors of any shape by a recipe, in stored
// order, and back; threaded. Equals, block for block, the functions named as equals by
// mx/tensor/blocks.h, mx/tensor/corrected.h and mx/presets/bulk_variants.h, in the orders of
// mx/tensor/packing.h and mx/tensor/layout.h.
#pragma once
#include <cstdint>
#include <optional>

#include "mx/tensor/coded_shape.h"
#include "mx/tensor/energy.h"

namespace mx {

/// The arrays of one pass, in their stored order; sizes as in coded_shape, any alignment.
///   macro_fractions  little-endian; null if the recipe has none
template <class Byte>
struct pass_arrays {
  Byte *codes = nullptr, *scales = nullptr, *macro_fractions = nullptr;
};

/// The arrays of a tensor.
///   residual       of an outlier fallback
///   tensor_scales  FP32; tensor_amax: a preset derives them from it, and decodes by it
template <class Byte>
struct tensor_arrays {
  pass_arrays<Byte> first, residual;
  Byte *tensor_scales = nullptr, *tensor_amax = nullptr;
};
using coded_arrays = tensor_arrays<std::uint8_t>;
using constant_coded_arrays = tensor_arrays<const std::uint8_t>;

/// Counts of a coded tensor.
///   special_blocks  with NaN or Inf
///   granules        that could fall back, and the number that did
struct coding_counts {
  std::uint64_t blocks = 0, special_blocks = 0, granules = 0, fallen_back = 0;
};

/// Quantizes a tensor.
///   s      coded_shape_of(r, tensor)
///   x      any alignment
///   given  tensor scales to quantize under, for a plain recipe; null: they are chosen and stored
///   out    every byte of every array of the recipe is written, except given tensor scales
///   errors throws std::invalid_argument if the recipe's preset only decodes
coding_counts quantize_tensor(const recipe& r, const coded_shape& s, number_type type,
                              const void* x, const float* given, const coded_arrays& out,
                              const blocks_done& done = {});

/// The values as FP32, without the padding.
///   errors  throws std::invalid_argument if the recipe's preset does not decode
void dequantize_tensor(const recipe& r, const coded_shape& s, const constant_coded_arrays& in,
                       float* x, const blocks_done& done = {});

/// The parts of a tensor's error (mx/tensor/energy.h).
///   given   tensor scales, or null: they are chosen
///   errors  throws std::invalid_argument if the recipe is not plain
[[nodiscard]] error_energy decompose_tensor(const recipe& r, const tensor_axes& t, number_type type,
                                            const void* x, const float* given,
                                            const blocks_done& done = {});

/// Codes one a byte and scales in linear order into the stored order of the recipe.
void store_pass(const recipe& r, const coded_shape& s, const std::uint8_t* codes,
                const std::uint8_t* scales, const pass_arrays<std::uint8_t>& out);
/// The inverse of store_pass.
void load_pass(const recipe& r, const coded_shape& s, const pass_arrays<const std::uint8_t>& in,
               std::uint8_t* codes, std::uint8_t* scales);

/// Kind of a stored number with more bits than the recipe allows.
enum class wide_number : std::uint8_t { code, macro_fraction };
struct coding_flaw {
  wide_number what;
  std::uint64_t index;  ///< in its array
  std::uint32_t value;
  int bits;  ///< allowed
};

/// The first such number of a pass.
[[nodiscard]] std::optional<coding_flaw> flaw_of(const recipe& r, const coded_shape& s,
                                                 const pass_arrays<const std::uint8_t>& in);

}  // namespace mx
