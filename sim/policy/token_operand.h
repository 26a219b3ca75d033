// SPDX-License-Identifier: Apache-2.0
// sim/policy/token_operand.h: an operand of wgrad, whose lines run along the tokens of each
// product's sequences.
#pragma once
#include <span>
#include <vector>

#include "mx/dot/coded_leaves.h"
#include "mx/tensor/bulk.h"
#include "sim/policy/operand_lines.h"
#include "sim/policy/product.h"

namespace sim {

/// A row-major matrix of numbers.
struct operand_view {
  const float* data;
  int rows, columns;
  std::ptrdiff_t stride;

  [[nodiscard]] operand_view between(int first, int last) const {
    return {data + first * stride, last - first, columns, stride};
  }
};

/// Rows of the products of a micro-batch, each of so many sequences.
///   first_row  of each product, and the end of the last
///   first      index of the first product in the whole batch
///   tokens     token_number of each row; may be empty where no operand is forward's
struct contraction_rows {
  std::span<const int> first_row;
  int first;
  std::span<const std::uint64_t> tokens;

  [[nodiscard]] int count() const noexcept { return static_cast<int>(first_row.size()) - 1; }
  [[nodiscard]] int row(int i) const noexcept { return first_row[static_cast<std::size_t>(i)]; }
  [[nodiscard]] int length(int i) const noexcept { return row(i + 1) - row(i); }
};

/// dY of a linear, or an X, quantized along the tokens of each product by itself: values under
/// `fp32.fma`, codes under other models; forward's X is quantized along each token's features.
/// Numbers that stay as they are, are not copied. Storage is reused.
class token_operand {
 public:
  /// Takes an operand of all products, which must outlive its use.
  void take(const pass_products& wgrad, operand_role role, const product_place& at,
            const operand_view& m, const contraction_rows& rows);
  /// Quantizes it for product i; products are independent.
  void quantize(int i);

  [[nodiscard]] int columns() const noexcept { return from_.columns; }
  /// Elements along k of product i.
  [[nodiscard]] int k(int i) const noexcept;
  /// The values of product i: k x columns.
  [[nodiscard]] const float* values(int i) const noexcept;
  [[nodiscard]] std::ptrdiff_t stride() const noexcept;
  /// The codes of product i: a line a column.
  [[nodiscard]] const operand_lines& codes(int i) const {
    return codes_[static_cast<std::size_t>(i)];
  }

 private:
  [[nodiscard]] bool is_unchanged() const noexcept;
  void quantize_rows(int i, float* out) const;
  [[nodiscard]] std::ptrdiff_t first_value(int i) const noexcept;

  mx::operand operand_;
  bool has_values_ = true;
  bool is_forward_s_ = false;
  mx::rotation rotation_;
  int tokens_ = 0;  ///< of a product in the numbering of blocks
  operand_view from_{};
  contraction_rows rows_{};
  std::vector<int> first_k_;  ///< of each product in the values
  std::vector<float> values_;
  std::vector<operand_lines> codes_;
};

/// Product i of two operands in codes, which must outlive it.
[[nodiscard]] mx::coded_outer_product coded_product(const token_operand& dy, const token_operand& x,
                                                    int i);

}  // namespace sim
