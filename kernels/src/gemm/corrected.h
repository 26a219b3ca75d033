// SPDX-License-Identifier: Apache-2.0
// kernels/src/gemm/corrected.h: products with a correction, by the core's own functions: a thread
// computes an element of D.
#pragma once
#include "gemm/element.h"
#include "mx/block/block.h"
#include "mx/dot/corrected_product.h"
#include "mx/kernels/corrected_gemm.h"

namespace mx::kernels {

inline constexpr int corrected_gemm_threads = 128;

/// Number of blocks of threads.
[[nodiscard]] constexpr std::int64_t corrected_gemm_blocks(const gemm_shape& shape) noexcept {
  return (shape.m * shape.n + corrected_gemm_threads - 1) / corrected_gemm_threads;
}

/// The values of a line of MXFP4 from element `first` on, as mx::dequantize returns them.
struct line_values {
  gemm_line line;
  int first = 0;

  [[nodiscard]] MX_HD float operator[](int i) const noexcept {
    const int at = first + i;
    return dequantize(e2m1{static_cast<std::uint8_t>(line.codes[at])},
                      e8m0{static_cast<std::uint8_t>(line.scales[at / mxfp4::size])});
  }
  [[nodiscard]] MX_HD line_values operator+(int count) const noexcept {
    return {line, first + count};
  }
};

[[nodiscard]] MX_HD inline line_values values_of(const gemm_operand& of, std::int64_t k,
                                                 std::int64_t number) noexcept {
  const auto* codes = static_cast<const unsigned char*>(of.codes) + number * of.line_bytes;
  return {{{codes, of.storage, 0}, {of.scales + number * (k / mxfp4::size)}}};
}

/// Thread t of the grid computes element t.
template <class Thread>
MX_HD void gemm_corrected(const Thread& self, const corrected_gemm_request& to) {
  const auto place =
      static_cast<std::int64_t>(self.block()) * corrected_gemm_threads + self.index();
  if (place >= to.shape.m * to.shape.n) return;
  const std::int64_t row = place / to.shape.n, column = place % to.shape.n;
  const auto k = static_cast<int>(to.shape.k);
  const line_values a = values_of(to.a, k, row), b = values_of(to.b, k, column);
  if (to.correction == gemm_correction::second_pass) {
    to.d[place] = dot_with_second_pass(a, values_of(to.rest, k, row), to.alpha, b, k, to.span);
    return;
  }
  const std::int64_t blocks = (to.shape.k + to.span - 1) / to.span;
  to.d[place] = dot_with_macro_epilogue<line_values, line_values>(
      {a, to.a_reciprocals + row * blocks}, {b, to.b_reciprocals + column * blocks}, k, to.span);
}

}  // namespace mx::kernels
