// SPDX-License-Identifier: Apache-2.0
// emulator/src/tensor/block_batch.h: a few consecutive blocks, gathered: the input of the kernels
// of every instruction set.
#pragma once
#include <cstdint>

#include "mx/tensor/blocks.h"

namespace mx {

/// In elements; no vector is longer.
inline constexpr std::uint64_t batch_alignment = 16;

/// Whether results bypass the caches: useful if they are larger than the caches.
enum class storing : std::uint8_t { cached, streamed };

/// Numbers of 16 bits in memory.
struct narrow_numbers {
  const unsigned char* numbers = nullptr;
  number_type type = number_type::bf16;
};

/// Block b has its elements at x + b * stride, in the block's order, padded with zeros up to the
/// stride. Its codes go to codes + b * stride, one a byte, or to half that, two a byte, and its
/// scale code to scales[b]; or its values after quantization and back to values + b * stride, which
/// may be x.
///   stride  a multiple of batch_alignment
///   narrow  if there are such numbers, they are the elements, and x is null; for codes alone
struct block_batch {
  const float* x;
  std::uint64_t stride;
  std::uint64_t first;  ///< number of block 0
  int count;
  const float* tensor_scales;  ///< one for each block
  std::uint8_t* codes;
  std::uint32_t* scales;
  storing how;  ///< streamed: values come from memory, and those after them will be read next
  float* values = nullptr;
  const std::uint64_t* numbers = nullptr;  ///< of the blocks, if they are not consecutive
  storing codes_how = storing::cached;  ///< streamed: codes of whole vectors lie on their multiples
  code_packing packing = code_packing::unpacked;
  narrow_numbers narrow = {};

  [[nodiscard]] std::uint64_t number(int b) const {
    return numbers != nullptr ? numbers[b] : first + static_cast<std::uint64_t>(b);
  }
  /// Number of blocks from b on with consecutive numbers.
  [[nodiscard]] int run_from(int b) const {
    int end = numbers != nullptr ? b + 1 : count;
    while (end < count && numbers[end] == numbers[end - 1] + 1) ++end;
    return end - b;
  }
  /// Blocks [b, b + n).
  [[nodiscard]] block_batch part(int b, int n) const {
    const auto block = static_cast<std::uint64_t>(b);
    block_batch some = *this;
    if (x != nullptr) some.x += block * stride;
    if (narrow.numbers != nullptr) some.narrow.numbers += block * stride * bytes_of(narrow.type);
    some.first += block;
    some.count = n;
    if (tensor_scales != nullptr) some.tensor_scales += b;
    if (scales != nullptr) some.scales += b;
    if (codes != nullptr) some.codes += block * stride / (packing == code_packing::packed ? 2 : 1);
    if (values != nullptr) some.values += block * stride;
    if (numbers != nullptr) some.numbers += b;
    return some;
  }
};

/// Quantizes a batch with the vectors of the chosen instruction set, or by the core where they have
/// no kernel for q.
///   returns  the number of special blocks
int quantize_batch(const quantization& q, const block_batch& batch);

/// The same to values.
///   q  has_value_kernel (tensor/operand_kernel.h)
void fake_quantize_batch(const quantization& q, const block_batch& batch);

/// RNE of numbers to bfloat16, a NaN to the canonical one; in and out may be the same. Equals
/// mx::rounded_to_bfloat16.
void round_to_bfloat16(const float* x, std::uint64_t count, float* out);

/// Largest finite magnitude of `count` numbers, as a pattern.
std::uint32_t largest_finite(const float* x, std::uint64_t count);

/// Rows to columns: out[c * out_stride + r] = in[r * in_stride + c].
void transpose(const float* in, std::ptrdiff_t in_stride, std::ptrdiff_t rows,
               std::ptrdiff_t columns, float* out, std::ptrdiff_t out_stride);

/// The arithmetic of a quantization on vectors.
///   shift  elements under powers of two      reciprocal  elements times the reciprocal of a scale
enum class block_way : std::uint8_t { core, shift, reciprocal };

/// Whether the vectors may compute with the powers of two of an element format: anchors,
/// reciprocals and numbers of a block of zeros, which are these times a few more, are then normal
/// numbers of FP32.
[[nodiscard]] constexpr bool has_moderate_exponents(const format& element) noexcept {
  return element.emin() - element.fraction_bits >= -20 && element.emin() <= 20 &&
         element.emax() >= -20 && element.emax() <= 20;
}

[[nodiscard]] constexpr block_way block_way_of(const quantization& q) noexcept {
  const block_format& f = q.format;
  const bool known = f.element.fraction_bits >= 1 && has_moderate_exponents(f.element);
  if (!known || q.rounding == rounding::away_from_zero) return block_way::core;
  if (f.scale == formats::e8m0 && f.tensor == tensor_scaling::none &&
      f.precision == scale_precision::stored) {
    return block_way::shift;
  }
  const bool many_bits = q.rounding == rounding::stochastic && q.random.bits > 8;
  return many_bits ? block_way::core : block_way::reciprocal;
}

/// The inverse: element k of block b is values[code] * factor(b) * tensor_scales[b].
///   codes   of block b at codes + b * stride, one a byte; or at half that, two a byte
///   stride  a multiple of batch_alignment
///   values  by code, without bits above the element's width; 16 of them if codes are two a byte
///   factor  byte_factors[scales[b]], of 256; or factors[b] if scales are null
struct coded_batch {
  const std::uint8_t* codes;
  code_packing packing;
  std::uint64_t stride;
  std::uint64_t count;
  const float* values;
  const std::uint8_t* scales;
  const float* factors;
  const float* tensor_scales;  ///< null: all are 1
  unsigned char* out;          ///< floats, block b's at b * stride
  storing how;
};

/// Each product is rounded to FP32.
void dequantize_batch(const coded_batch& batch);

/// FP32 values of numbers of any type.
void widen(number_type type, const unsigned char* x, std::uint64_t count, float* out);

/// The same for the numbers `first`, first + step, ... of x.
inline void widen_strided(number_type type, const unsigned char* x, std::uint64_t first,
                          std::uint64_t step, std::uint64_t count, float* out) {
  const std::uint64_t bytes = bytes_of(type);
  if (step == 1) return widen(type, x + first * bytes, count, out);
  for (std::uint64_t k = 0; k < count; ++k) widen(type, x + (first + k * step) * bytes, 1, out + k);
}

/// Packs pairs of codes into bytes, the first of two in the low bits; streamed ones are complete
/// after finish_streams().
void pack_pairs(const std::uint8_t* codes, std::uint64_t pairs, storing how, std::uint8_t* out);

/// Copies bytes past the caches; complete after finish_streams().
void stream_bytes(const std::uint8_t* bytes, std::uint64_t count, std::uint8_t* out);

/// Makes streamed bytes visible to other threads.
void finish_streams();

}  // namespace mx
