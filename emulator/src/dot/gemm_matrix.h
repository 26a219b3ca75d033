// SPDX-License-Identifier: Apache-2.0
// emulator/src/dot/gemm_matrix.h: block-scaled products of E2M1 by an instruction that multiplies
// matrices of bfloat16, in binary32.
// An element times its scale is a number of bfloat16: two bits times at most six, within 52 binades
// of 1. Sums of products over a block are exact in binary32 in any order: an integer of at most 12
// bits (at most 13 if scales are powers of two) times both scales, 24 bits in all, and within the
// normal range.
#pragma once
#include <array>
#include <cstdint>

#include "dot/gemm_scales.h"
#include "dot/gemm_slices.h"
#include "mx/tensor/blocks.h"

namespace mx {

/// Operand of the instruction from one factor: 1 KiB.
struct matrix {
  static constexpr int lines = 16, depth = 32, values = lines * depth;
};

/// bfloat16 values of the E2M1 codes under each scale code, stored twice in succession.
using scaled_codes = std::array<std::array<std::uint16_t, 32>, 256>;

/// Lines along k before they are stored in matrices.
///   codes   `slabs` * 32 a line       scales  `slabs` * 32 / unit a line, or more
struct matrix_lines {
  static constexpr int most_slabs = 8;
  const std::uint8_t* codes[matrix::lines];
  code_packing packing;
  std::uint8_t scales[matrix::lines][most_slabs * 2];
  int slabs;
};

/// Matrices of some lines along k, one after another.
///   left   [slab][line][32]      right  [slab][16][line][2]
/// Two of them are multiplied at a time: the second begins `next` values after the first.
struct matrix_pair {
  const std::uint16_t* values;
  std::int64_t next;
};

/// 32 x 32 sums in place.
struct matrix_sums {
  float* values;
  std::int64_t stride;
};

/// Scales of two matrices' lines in a row, which are powers of two.
///   exponents  [slab][32], times 2^20: for a block of zeros that of the step's other block, or 0
///   none       [slab]: a bit for each line whose block is known to contain only zeros
struct matrix_exponents {
  static constexpr int lines = 2 * matrix::lines, places = 20;
  const std::int32_t* exponents;
  const std::uint32_t* none;
};

/// Kernels of an instruction set for a model.
///   begin, end   bracket products on a thread, which must run nothing else between them
///   sequential   rounds the sum after each block; null for other models
///   near         sums of zero, steps of 64 that are exact in binary32, truncated: as near_tile
///   fused        steps of 64: as fused_tile
struct matrix_kernels {
  int unit;
  void (*begin)();
  void (*end)();
  void (*place_left)(const matrix_lines& from, const scaled_codes& table, std::uint16_t* to);
  void (*place_right)(const matrix_lines& from, const scaled_codes& table, std::uint16_t* to);
  void (*sequential)(const matrix_pair& a, const matrix_pair& b, int slabs,
                     const matrix_sums& sums);
  void (*near)(const matrix_pair& a, const matrix_pair& b, int slabs, const matrix_sums& sums);
  void (*fused)(const matrix_pair& a, const matrix_pair& b, int slabs, const matrix_exponents& rows,
                const matrix_exponents& columns, const matrix_sums& sums, const exact_steps& exact);
};

/// Kernels of the chosen instruction set; null if it has none, or the system denies the registers.
///   unit  16 or 32
const matrix_kernels* matrix_kernels_for(gemm_rounding how, int unit);

}  // namespace mx
