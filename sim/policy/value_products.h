// SPDX-License-Identifier: Apache-2.0
// sim/policy/value_products.h: who computes a run's products: of FP32 numbers here, of codes by
// products_of_codes: the CPU's bulk functions, or a device's kernels. The bits of results are the
// same.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "mx/tensor/bulk.h"
#include "mx/tensor/operand.h"
#include "sim/policy/products_of_codes.h"

namespace sim {

/// B (k x n) of products, in the form of what computes them.
class right_factor {
 public:
  right_factor() = default;
  right_factor(const right_factor&) = delete;
  right_factor& operator=(const right_factor&) = delete;
  virtual ~right_factor() = default;

  /// C = A * B as mx::multiply; any number of threads may call it at once.
  ///   a  rows x k, lines a_stride apart      c  rows x n, dense
  virtual void multiply(int rows, const float* a, std::ptrdiff_t a_stride, float* c) const = 0;
  /// C = Q(A) * B, with the values of A's rows after quantization: mx::fake_quantize.
  ///   buffer  of A's size; may be A, if its rows are dense
  virtual void multiply_quantized(const mx::operand& f, const mx::operand_rows& a, float* buffer,
                                  float* c) const;
};

/// Columns of B, from a dense row-major matrix: k x columns, or its transpose.
struct factor_columns {
  enum class form : std::uint8_t { as_is, transposed };

  const float* matrix;
  int columns;
  form stored;
};

/// Columns of all parts together.
[[nodiscard]] int columns_of(std::span<const factor_columns> side_by_side) noexcept;
/// The parts as one dense row-major matrix, k x columns_of(side_by_side).
[[nodiscard]] std::vector<float> joined(int k, std::span<const factor_columns> side_by_side);

class value_products {
 public:
  value_products() = default;
  value_products(const value_products&) = delete;
  value_products& operator=(const value_products&) = delete;
  virtual ~value_products() = default;

  /// B of parts side by side, copied.
  [[nodiscard]] virtual std::unique_ptr<const right_factor> factor(
      int k, std::span<const factor_columns> side_by_side) const = 0;
  /// As mx::add_leaves; any number of threads may call it at once for other rows or levels.
  virtual void add(const mx::value_leaves& leaves) const = 0;
  /// Who computes the run's products of codes.
  [[nodiscard]] virtual const products_of_codes& of_codes() const {
    return bulk_products_of_codes();
  }
};

/// Those of the CPU.
[[nodiscard]] const value_products& bulk_products() noexcept;

}  // namespace sim
