// SPDX-License-Identifier: Apache-2.0
// sim/policy/value_products.cpp: products by the CPU's bulk functions.
#include "sim/policy/value_products.h"

namespace sim {
namespace {

class packed_factor : public right_factor {
 public:
  packed_factor(int k, std::span<const factor_columns> side_by_side)
      : packed_(k, columns_of(side_by_side)) {
    int first = 0;
    for (const factor_columns& part : side_by_side) {
      if (part.stored == factor_columns::form::transposed) {
        packed_.set_columns_transposed(first, part.columns, part.matrix, k);
      } else {
        packed_.set_columns(first, part.columns, part.matrix, part.columns);
      }
      first += part.columns;
    }
  }

  void multiply(int rows, const float* a, std::ptrdiff_t a_stride, float* c) const override {
    mx::multiply(rows, a, a_stride, packed_, c, packed_.n());
  }

 private:
  mx::packed_matrix packed_;
};

class products_on_cpu : public value_products {
 public:
  [[nodiscard]] std::unique_ptr<const right_factor> factor(
      int k, std::span<const factor_columns> side_by_side) const override {
    return std::make_unique<packed_factor>(k, side_by_side);
  }
  void add(const mx::value_leaves& leaves) const override { mx::add_leaves(leaves); }
};

}  // namespace

void right_factor::multiply_quantized(const mx::operand& f, const mx::operand_rows& a,
                                      float* buffer, float* c) const {
  mx::fake_quantize(f, a, {buffer, a.count});
  multiply(a.rows, buffer, a.count, c);
}

int columns_of(std::span<const factor_columns> side_by_side) noexcept {
  int columns = 0;
  for (const factor_columns& part : side_by_side) columns += part.columns;
  return columns;
}

std::vector<float> joined(int k, std::span<const factor_columns> side_by_side) {
  const std::ptrdiff_t n = columns_of(side_by_side);
  std::vector<float> matrix(static_cast<std::size_t>(k * n));
  float* first = matrix.data();
  for (const factor_columns& part : side_by_side) {
    const bool transposed = part.stored == factor_columns::form::transposed;
    const std::ptrdiff_t row = transposed ? 1 : part.columns, column = transposed ? k : 1;
    for (std::ptrdiff_t i = 0; i < k; ++i) {
      for (std::ptrdiff_t j = 0; j < part.columns; ++j) {
        first[i * n + j] = part.matrix[i * row + j * column];
      }
    }
    first += part.columns;
  }
  return matrix;
}

const value_products& bulk_products() noexcept {
  static const products_on_cpu products;
  return products;
}

}  // namespace sim
