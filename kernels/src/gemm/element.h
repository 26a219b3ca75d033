// SPDX-License-Identifier: Apache-2.0
// kernels/src/gemm/element.h: what all kernels of a product share: arguments, lines of codes as
// mx::dot reads them, an element computed by the core, and its store.
#pragma once
#include <cstddef>

#include "mx/dot/bulk_gemm.h"

namespace mx::kernels {

/// Codes of a line from element `begin` on.
///   begin  even if codes are packed in pairs
struct line_codes {
  const unsigned char* first = nullptr;
  code_storage storage = code_storage::bytes;
  std::int64_t begin = 0;

  [[nodiscard]] MX_HD std::uint32_t operator[](int i) const noexcept {
    const std::int64_t at = begin + i;
    switch (storage) {
      case code_storage::pairs:
        return first[at / 2] >> (at % 2 * 4) & 15U;
      case code_storage::bytes:
        return first[at];
      case code_storage::halves:
        return reinterpret_cast<const std::uint16_t*>(first)[at];
      case code_storage::words:
        break;
    }
    return reinterpret_cast<const std::uint32_t*>(first)[at];
  }
};

/// An operand as mx::dot_steps takes it.
struct gemm_line {
  line_codes codes;
  strided<std::uint8_t> scales;
};

///   blocks_a_line  0 if the model has no scales
///   stores_sums    whether D is the unmodified sums
///   ..stride       elements between rows, at least n
struct gemm_arguments {
  gemm_plan plan;
  gemm_shape shape;
  gemm_operand a, b;
  const void* c = nullptr;
  void* d = nullptr;
  std::int64_t blocks_a_line = 0;
  bool stores_sums = false;
  std::int64_t c_stride = 0, d_stride = 0;
};

/// Line `number` of an operand from element `first` on.
///   first  first element of a block
[[nodiscard]] MX_HD inline gemm_line line_at(const gemm_arguments& to, const gemm_operand& of,
                                             std::int64_t number, std::int64_t first) noexcept {
  const auto* codes = static_cast<const unsigned char*>(of.codes) + number * of.line_bytes;
  gemm_line line{{codes, of.storage, first}, {}};
  if (to.blocks_a_line > 0) {
    line.scales.first = of.scales + number * to.blocks_a_line + first / to.plan.model.block;
  }
  return line;
}

/// Sum of the `count` first products of two lines, starting with c. Equals mx::dot.
[[nodiscard]] MX_HD inline std::uint32_t dot_of_lines(const dot_model& model, const gemm_line& a,
                                                      const gemm_line& b, int count,
                                                      std::uint32_t c) noexcept {
  no_observer none;
  return dot_steps<gemm_line, gemm_line, no_observer>(model, a, b, count, none).plus(c);
}

/// C as bits of the model's result.
[[nodiscard]] MX_HD inline std::uint32_t addend_at(const gemm_arguments& to, std::int64_t row,
                                                   std::int64_t column) noexcept {
  if (to.c == nullptr) return 0;
  const std::int64_t place = row * to.c_stride + column;
  const bool halved = to.plan.model.sum.result.width() == 16;
  return halved ? static_cast<const std::uint16_t*>(to.c)[place]
                : static_cast<const std::uint32_t*>(to.c)[place];
}

/// Stores an element of D from its sum. Equals mx::finished.
MX_HD inline void store_element(const gemm_arguments& to, std::int64_t row, std::int64_t column,
                                std::uint32_t sum) noexcept {
  const std::uint32_t c = to.plan.c_entry == c_entry::epilogue ? addend_at(to, row, column) : 0;
  const std::uint32_t code = finished(to.plan, sum, c);
  const std::int64_t place = row * to.d_stride + column;
  if (to.plan.output.width() == 16) {
    static_cast<std::uint16_t*>(to.d)[place] = static_cast<std::uint16_t>(code);
  } else {
    static_cast<std::uint32_t*>(to.d)[place] = code;
  }
}

/// The sum of an element as the plan composes it. Equals mx::gemm_sum.
[[nodiscard]] MX_HD inline std::uint32_t sum_by_core(const gemm_arguments& to, std::int64_t row,
                                                     std::int64_t column) noexcept {
  const auto dot_of = [&](std::int64_t first, std::int64_t count, std::uint32_t from) {
    return dot_of_lines(to.plan.model, line_at(to, to.a, row, first),
                        line_at(to, to.b, column, first), static_cast<int>(count), from);
  };
  const std::uint32_t c = addend_at(to, row, column);
  return gemm_sum(to.plan, to.shape.k, start_of(to.plan, c), dot_of);
}

}  // namespace mx::kernels
