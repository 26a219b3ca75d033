// SPDX-License-Identifier: Apache-2.0
// emulator/src/dot/matrix_product.h: elements of D = A B + C by matrices of bfloat16.
#pragma once
#include "dot/gemm_product.h"
#include "dot/matrix_factor.h"

namespace mx {

/// The kernels for products with B; null if there are none.
[[nodiscard]] const matrix_kernels* matrix_kernels_of(const dot_model& model,
                                                      const gemm_operand& b);

/// B for the kernels.
struct matrix_right {
  const matrix_kernels& kernels;
  matrix_tables tables;
  matrix_factor factor;

  matrix_right(const matrix_kernels& of, const dot_model& model, const gemm_operand& b,
               std::int64_t n, std::int64_t k)
      : kernels(of), tables(model.scale), factor(of, tables, b, n, k) {}
  matrix_right(const matrix_right&) = delete;
  matrix_right& operator=(const matrix_right&) = delete;
};

/// Elements by matrices, and by the core if the kernels do not support C as a start.
class matrix_product {
 public:
  /// Sums, and a chunk of both factors, fit a near cache.
  static constexpr gemm_task task{256, 256};

  matrix_product(const core_product& by_core, const matrix_right& right);

  /// Whether the kernels support every scale; if not, no other function may be called.
  [[nodiscard]] bool is_possible() const { return left_.is_regular() && right_.is_regular(); }

  /// As core_product::add.
  void add(const gemm_region& region, std::int64_t first, std::int64_t count,
           std::uint32_t* sums) const;

 private:
  const matrix_kernels& kernels_;
  const core_product& by_core_;
  matrix_factor left_;
  const matrix_factor& right_;
};

}  // namespace mx
