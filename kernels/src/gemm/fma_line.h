// SPDX-License-Identifier: Apache-2.0
// kernels/src/gemm/fma_line.h: a line of a factor as gemm_fma reads it: codes, their scales, and
// tables of the FP32 values of both.
#pragma once
#include "gemm/element.h"
#include "gemm/fma_walk.h"
#include "input_pairs.h"
#include "unrolled.h"

namespace mx::kernels {

/// Arguments of gemm_fma.
///   product         its sum is that of `fp32.fma`, its elements and scales have codes of up to 8
///                   bits
///   rest, alpha     second_pass: for A's side
///   .._reciprocals  macro_epilogue: `spans` a line
///   block_bits      log2 of the elements that share a scale, at least 4
///   span            elements of k; all of k if sums are plain
struct fma_arguments {
  gemm_arguments product;
  gemm_operand rest;
  float alpha = 0;
  const float* a_reciprocals = nullptr;
  const float* b_reciprocals = nullptr;
  std::int64_t spans = 0;
  int span = 0;
  int block_bits = 0;
};

/// Values of codes of up to 8 bits. An element times a scale is then one multiplication, since both
/// are exact: mx::dequantized_factor.
struct fma_tables {
  float element[2][256];  ///< of A, of B
  float scale[256];

  /// Entry `code` of each.
  MX_HD constexpr void fill(const dot_model& model, int code) noexcept {
    const auto bits = static_cast<std::uint32_t>(code);
    const unpacked factor = decode(model.scale, bits);
    // An Inf indicates an overflow elsewhere, as in mx::dot_steps (D-040).
    scale[code] = factor.kind == kind::infinite ? float_of(nan_bits) : to_binary32(factor);
    element[0][code] = to_binary32(decode(model.a, bits));
    element[1][code] = to_binary32(decode(model.b, bits));
  }
};

struct alignas(8) two_words {
  std::uint32_t word[2];
};

/// A line of a factor from its first element on.
struct fma_line {
  const unsigned char* codes = nullptr;
  const std::uint8_t* scales = nullptr;
  code_storage storage = code_storage::pairs;

  [[nodiscard]] static MX_HD fma_line of(const gemm_operand& from, std::int64_t number,
                                         std::int64_t blocks) noexcept {
    return {static_cast<const unsigned char*>(from.codes) + number * from.line_bytes,
            from.scales + number * blocks, from.storage};
  }

  [[nodiscard]] MX_HD std::uint32_t code(int k) const noexcept {
    return storage == code_storage::pairs ? codes[k / 2] >> (k % 2 * 4) & 15U : codes[k];
  }
  /// The codes of a slice: 16 bytes, or 8 if packed in pairs.
  [[nodiscard]] MX_HD quad_word slice(int k) const noexcept {
    const int bytes = storage == code_storage::pairs ? fma_slice / 2 : fma_slice;
    const unsigned char* at = codes + k / (fma_slice / bytes);
    if (reinterpret_cast<std::uintptr_t>(at) % bytes != 0) return byte_by_byte(at, bytes);
    if (bytes == fma_slice) return *reinterpret_cast<const quad_word*>(at);
    const two_words words = *reinterpret_cast<const two_words*>(at);
    return {words.word[0], words.word[1], 0, 0};
  }

 private:
  [[nodiscard]] static MX_HD quad_word byte_by_byte(const unsigned char* at, int bytes) noexcept {
    quad_word words = {};
    unrolled<fma_slice>([&](int i) {
      if (i < bytes) words.word[i / 4] |= static_cast<std::uint32_t>(at[i]) << (i % 4 * 8);
    });
    return words;
  }
};

}  // namespace mx::kernels
