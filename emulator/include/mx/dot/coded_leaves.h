// SPDX-License-Identifier: Apache-2.0
// mx/dot/coded_leaves.h: sums of products of codes by a fixed binary tree over their index, as
// mx::add_leaves (mx/tensor/bulk.h) adds products of FP32 numbers.
#pragma once
#include <cstddef>
#include <memory>
#include <span>

#include "mx/dot/bulk_gemm.h"

namespace mx {

/// One sequence's contribution to a weight gradient under a model: left (m lines of k) times right
/// (n lines of k).
///   alpha  of the product is RNE32(left_scale * right_scale), the scales of the two tensors
struct coded_outer_product {
  std::int64_t k = 0;
  gemm_operand left, right;
  float left_scale = 1, right_scale = 1;
};

/// Consecutive leaves of a tree, laid out once for any number of ranges of rows.
class coded_leaves {
 public:
  /// The leaves' codes and scales must outlive the object.
  ///   plan    of every product; its alpha is 1 and its output FP32
  ///   errors  throws std::invalid_argument for another alpha or output and as gemm does
  coded_leaves(const gemm_plan& plan, std::int64_t m, std::int64_t n,
               std::span<const coded_outer_product> leaves);
  coded_leaves(coded_leaves&&) noexcept;
  coded_leaves& operator=(coded_leaves&&) noexcept;
  ~coded_leaves();

  /// Adds every leaf's D into the levels of the tree.
  ///   level l is an m x n matrix that holds the sum of 2^l leaves if bit l of the number of leaves
  ///   so far is set; adding a leaf carries like a binary counter: sum = add_fp32(level, sum)
  ///   computes rows [row_begin, row_end) of m; ranges of rows are independent
  ///   first_leaf  the tree's index of the first leaf
  ///   errors      throws std::invalid_argument for a negative index, rows outside [0, m]
  void add(std::int64_t first_leaf, std::int64_t row_begin, std::int64_t row_end,
           float* const* levels) const;

 private:
  class layout;
  std::unique_ptr<const layout> layout_;
};

}  // namespace mx
