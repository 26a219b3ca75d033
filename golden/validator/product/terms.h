// SPDX-License-Identifier: Apache-2.0
// golden/validator/product/terms.h: the exact terms of one element of a product, as its model reads
// the operands.
#pragma once
#include <cstdint>
#include <vector>

#include "mx/dot/bulk_gemm.h"

namespace golden::validator {

/// A decoded line of an operand: elements with their scales applied; or, where a model multiplies
/// exact sums of groups by scales, elements and scales apart.
struct read_line {
  std::vector<mx::factor> elements, scales;
};

/// The operand of a line.
enum class operand_side : unsigned char { a, b };

/// The line at `index`.
[[nodiscard]] read_line line_of(const mx::dot_model& model, operand_side side,
                                const mx::gemm_operand& operand, std::int64_t k,
                                std::int64_t index);

/// Terms of one element: products, or exact sums of groups.
///   positive, negative  sums of the magnitudes of either sign
///   largest_exponent    of the nonzero terms as read (mx/dot/product.h); no_exponent: all are zero
///   lowest_unit         2^it divides all nonzero terms; meaningless without any
///   count               number of nonzero terms
///   kinds               NaN and Inf among them
struct product_terms {
  mx::wide_fixed positive, negative;
  int largest_exponent = mx::no_exponent;
  int lowest_unit = 1 << 20;
  std::int64_t count = 0;
  mx::operand_kinds kinds;

  /// Adds a term read at this exponent.
  void add(const mx::unpacked& value, int exponent);
};

[[nodiscard]] product_terms terms_of(const mx::dot_model& model, const read_line& a,
                                     const read_line& b);

}  // namespace golden::validator
