// SPDX-License-Identifier: Apache-2.0
// tests/kernels/grid/tensor_operands.h: the descriptors of tcgen05, decoded as the PTX manual
// defines them; undefined values are refused.
#pragma once
#include <cstdint>
#include <stdexcept>

#include "gemm/native_lines.h"

namespace kernels_test {

inline std::uint32_t field(std::uint64_t word, int low, int bits) {
  return static_cast<std::uint32_t>(word >> low & ((std::uint64_t{1} << bits) - 1));
}

inline void expect(bool holds, const char* what) {
  if (!holds) throw std::logic_error(what);
}

/// "Shared memory descriptor": a start and two distances in 16 bytes, a constant 1 from bit 46 on,
/// all else 0: relative distances, no swizzling.
struct matrix_in_shared {
  std::uint32_t start, leading, stride;

  explicit matrix_in_shared(std::uint64_t d)
      : start(field(d, 0, 14) * 16), leading(field(d, 16, 14) * 16), stride(field(d, 32, 14) * 16) {
    expect(field(d, 14, 2) == 0 && field(d, 30, 2) == 0 && field(d, 46, 3) == 1 &&
               field(d, 49, 15) == 0,
           "a descriptor with bits that PTX wants otherwise");
  }
  /// "K-major, no swizzling": ((8, m), (16 bytes, 2k)) : ((16 bytes, stride), (1, leading)).
  [[nodiscard]] std::uint32_t offset(int line, int byte) const {
    const auto l = static_cast<std::uint32_t>(line), b = static_cast<std::uint32_t>(byte);
    return start + l % 8 * 16 + l / 8 * stride + b % 16 + b / 16 * leading;
  }
};

/// "Instruction descriptor for .kind::mxf4 and .kind::mxf4nvf4".
struct fp4_instruction {
  int rows, columns, first_a, first_b;

  fp4_instruction(std::uint32_t i, mx::kernels::native_kind kind)
      : rows(static_cast<int>(field(i, 27, 2)) * 128),
        columns(static_cast<int>(field(i, 17, 6)) * 8),
        first_a(static_cast<int>(field(i, 29, 2))),
        first_b(static_cast<int>(field(i, 4, 2))) {
    const std::uint32_t has_e8m0 = kind == mx::kernels::native_kind::mxf4 ? 1 : 0;
    expect(field(i, 7, 3) == 1 && field(i, 10, 2) == 1 && field(i, 23, 1) == has_e8m0,
           "an instruction of other formats");
    constexpr std::uint32_t zeros = 0x0701F04F;  // sparsity, signs, transposes and reserved bits
    expect((i & zeros) == 0 && field(i, 31, 1) == 0, "an instruction of other kinds");
    const bool halves = kind == mx::kernels::native_kind::mxf4;
    expect((first_a == 0 || (halves && first_a == 2)) && (first_b == 0 || (halves && first_b == 2)),
           "scales that begin elsewhere");
  }
};

}  // namespace kernels_test
