// SPDX-License-Identifier: Apache-2.0
// golden/validator/product/comparison.h: a kernel's D against a plan's, bit by bit.
#pragma once
#include <cstdint>
#include <optional>
#include <span>

#include "mx/dot/bulk_gemm.h"

namespace golden::validator {

/// A and B as codes.
struct product_operands {
  mx::gemm_shape shape;
  mx::gemm_operand a, b;
};

/// The other inputs of a kernel, and its output; row-major.
///   c  bits of the model's result; empty: +0 everywhere
///   d  bits of the plan's output
struct product_words {
  std::span<const std::uint32_t> c, d;
};

struct product_difference {
  std::int64_t row = 0, column = 0;
  std::uint32_t expected = 0, found = 0;
};

/// Result of a comparison.
///   first      in row-major order
///   numbers    elements that differ, not only in the code of a NaN
///   nan_codes  elements that are NaN on both sides, with different codes
struct product_comparison {
  std::optional<product_difference> first;
  std::uint64_t numbers = 0, nan_codes = 0;

  [[nodiscard]] std::uint64_t mismatches() const { return numbers + nan_codes; }
  [[nodiscard]] bool is_equal() const { return mismatches() == 0; }
  /// Whether the two differ only in the choice of NaN codes.
  [[nodiscard]] bool differs_in_nan_codes_only() const { return numbers == 0 && nan_codes > 0; }
};

/// Extent of a comparison: to the first element that differs in more than a NaN code, or all of D.
enum class comparison_reach : unsigned char { first_number, all };

/// Compares whole rows of D in growing bands, so that early differences cost little.
///   memory  one band: at most 2^20 elements, or one row
///   errors  as mx::gemm's
[[nodiscard]] product_comparison compared(const mx::gemm_plan& plan, const product_operands& with,
                                          const product_words& words, comparison_reach reach);

/// Whether a sample of elements agrees with the plan: those at which D differed from other plans,
/// which reject nearly every wrong plan, and others spread over D.
[[nodiscard]] bool sample_agrees(const mx::gemm_plan& plan, const product_operands& with,
                                 const product_words& words,
                                 std::span<const product_difference> seen = {});

}  // namespace golden::validator
