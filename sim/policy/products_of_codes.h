// SPDX-License-Identifier: Apache-2.0
// sim/policy/products_of_codes.h: who computes a run's products of codes under the model of a
// tensor core: the CPU's bulk functions, or a device's kernels. The bits of results are the same.
#pragma once
#include <memory>
#include <span>

#include "mx/dot/coded_leaves.h"
#include "sim/policy/operand_lines.h"

namespace sim {

/// B (k x n) of products under a plan, in the form of what computes them.
class coded_factor {
 public:
  coded_factor() = default;
  coded_factor(const coded_factor&) = delete;
  coded_factor& operator=(const coded_factor&) = delete;
  virtual ~coded_factor() = default;

  /// D = Q(A) * B as mx::gemm (mx/dot/prepared_gemm.h), with the codes of A's rows (coded_rows) and
  /// both factors' tensor scales as alphas; any number of threads may call it at once.
  ///   a  rows of k numbers      d  a.rows x n, dense
  virtual void multiply_quantized(const mx::operand& f, const mx::operand_rows& a,
                                  float* d) const = 0;
};

/// Consecutive leaves of weight gradients.
class leaves_of_codes {
 public:
  leaves_of_codes() = default;
  leaves_of_codes(const leaves_of_codes&) = delete;
  leaves_of_codes& operator=(const leaves_of_codes&) = delete;
  virtual ~leaves_of_codes() = default;

  /// As mx::coded_leaves::add; any number of threads may call it at once for other rows or levels.
  virtual void add(int first_leaf, int row_begin, int row_end, float* const* levels) const = 0;
};

class products_of_codes {
 public:
  products_of_codes() = default;
  products_of_codes(const products_of_codes&) = delete;
  products_of_codes& operator=(const products_of_codes&) = delete;
  virtual ~products_of_codes() = default;

  ///   b  n lines, copied
  [[nodiscard]] virtual std::unique_ptr<const coded_factor> factor(
      const mx::gemm_plan& plan, const operand_lines& b) const = 0;
  ///   leaves  of m x n results each; their codes and scales must outlive the object
  [[nodiscard]] virtual std::unique_ptr<const leaves_of_codes> leaves(
      const mx::gemm_plan& plan, int m, int n,
      std::span<const mx::coded_outer_product> leaves) const = 0;
};

/// Those of the CPU.
[[nodiscard]] const products_of_codes& bulk_products_of_codes() noexcept;

}  // namespace sim
