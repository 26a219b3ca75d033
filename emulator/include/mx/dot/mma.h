// SPDX-License-Identifier: Apache-2.0
// mx/dot/mma.h: D = A * B + C under a model of a tensor core: one dot product for every element
// of D.
#pragma once
#include "mx/dot/dot.h"

namespace mx {

/// A is (m, k), B is (k, n), C and D are (m, n).
struct mma_shape {
  int m, n, k;
};

/// Codes of a matrix: line i is a row of A or a column of B, and k runs along it.
///   line_stride, k_stride  distances of codes in two adjacent lines, and along one
template <class Code>
struct line_codes {
  const Code* first = nullptr;
  std::ptrdiff_t line_stride = 0;
  std::ptrdiff_t k_stride = 1;

  [[nodiscard]] MX_HD constexpr strided<Code> line(int i) const noexcept {
    return {first == nullptr ? nullptr : first + i * line_stride, k_stride};
  }
};

/// A factor of D: elements, and optionally scales of blocks along k.
template <class Code, class Scale = std::uint8_t>
struct mma_operand {
  line_codes<Code> codes;
  line_codes<Scale> scales = {};

  [[nodiscard]] MX_HD constexpr dot_operand<Code, Scale> line(int i) const noexcept {
    return {codes.line(i), scales.line(i)};
  }
};

/// C of numbers of format_of_c(model.sum), or D of model.sum.result: element (i, j) is
/// first[i * row_stride + j].
template <class Code>
struct mma_result {
  Code* first = nullptr;
  std::ptrdiff_t row_stride = 0;
};

/// An operand whose lines are stored one after another, each with its blocks' scales: A as (M, K),
/// B as (N, K).
///   block  elements a scale; 0 and null without scales
template <class Code, class Scale = std::uint8_t>
[[nodiscard]] MX_HD constexpr mma_operand<Code, Scale> by_lines(const Code* codes, int k,
                                                                const Scale* scales = nullptr,
                                                                int block = 0) noexcept {
  if (block == 0) return {{codes, k}};
  return {{codes, k}, {scales, (k + block - 1) / block}};
}

/// B as (K, N), row by row.
template <class Code>
[[nodiscard]] MX_HD constexpr mma_operand<Code> by_columns(const Code* codes, int n) noexcept {
  return {{codes, 1, n}, {}};
}

/// Element (i, j) of D.
template <class CodeA, class CodeB, class Scale>
[[nodiscard]] MX_HD constexpr std::uint32_t mma_element(const dot_model& model, int k,
                                                        const mma_operand<CodeA, Scale>& a,
                                                        const mma_operand<CodeB, Scale>& b,
                                                        std::uint32_t c, int i, int j) noexcept {
  return dot(model, a.line(i), b.line(j), k, c);
}

/// All of D. C and D may alias.
template <class CodeA, class CodeB, class Scale, class C, class D>
MX_HD constexpr void mma(const dot_model& model, mma_shape shape,
                         const mma_operand<CodeA, Scale>& a, const mma_operand<CodeB, Scale>& b,
                         mma_result<C> c, mma_result<D> d) noexcept {
  for (int i = 0; i < shape.m; ++i) {
    for (int j = 0; j < shape.n; ++j) {
      const std::uint32_t from = c.first[i * c.row_stride + j];
      d.first[i * d.row_stride + j] = static_cast<D>(mma_element(model, shape.k, a, b, from, i, j));
    }
  }
}

}  // namespace mx
