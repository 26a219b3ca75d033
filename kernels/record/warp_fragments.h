// SPDX-License-Identifier: Apache-2.0
// kernels/record/warp_fragments.h: where row 0 of A and column 0 of B lie in the registers of a
// warp's mma.sync, for every element width.
// Source: PTX ISA, "Matrix Fragments for mma.m16n8k8, k16, k32, k64": with e elements to a
// register, lane = 4 g + t:
//   A  register r, element i  ->  row g + 8 (r mod 2), k = e t + i + 4 e (r / 2)
//   B  register r, element i  ->  k = e t + i + 4 e r, column g
//   C  element 0 of lane 0    ->  row 0, column 0
#pragma once
#include <cstdint>

#include "mx/number/config.h"

namespace mx::kernels {

/// An operand's registers in one lane.
template <int Registers>
struct fragment {
  std::uint32_t word[Registers];
};

/// Position of a code in a register: each has `bits` bits, and starts `shift` above the lowest.
struct container {
  int bits = 16, shift = 0;

  /// Codes in one register.
  [[nodiscard]] MX_HD constexpr int count() const noexcept { return 32 / bits; }
};

/// A register's codes from k on, the first in the low bits; codes of 0 beyond the end.
///   codes  k_end of them, each in a word's low bits
[[nodiscard]] MX_HD constexpr std::uint32_t packed_from(const std::uint32_t* codes, int k_end,
                                                        int k, container in) noexcept {
  const std::uint32_t mask = in.bits == 32 ? 0xFFFFFFFFU : (1U << in.bits) - 1;
  std::uint32_t word = 0;
  for (int i = 0; i < in.count() && k + i < k_end; ++i) {
    word |= ((codes[k + i] << in.shift) & mask) << (in.bits * i);
  }
  return word;
}

/// A with only row 0 nonzero.
///   first  first k of the instruction
[[nodiscard]] MX_HD constexpr fragment<4> row_fragment(const std::uint32_t* codes, int k_end,
                                                       int first, container in, int lane) noexcept {
  fragment<4> result{};
  if (lane / 4 != 0) return result;
  const int elements = in.count();
  for (int r = 0; r < 4; r += 2) {
    const int k = first + elements * (lane % 4) + 4 * elements * (r / 2);
    result.word[r] = packed_from(codes, k_end, k, in);
  }
  return result;
}

/// B with only column 0 nonzero.
[[nodiscard]] MX_HD constexpr fragment<2> column_fragment(const std::uint32_t* codes, int k_end,
                                                          int first, container in,
                                                          int lane) noexcept {
  const fragment<4> row = row_fragment(codes, k_end, first, in, lane);
  return {{row.word[0], row.word[2]}};
}

}  // namespace mx::kernels
