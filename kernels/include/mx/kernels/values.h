// SPDX-License-Identifier: Apache-2.0
// mx/kernels/values.h: products of FP32 numbers under `fp32.fma` on a CUDA device, bit for bit
// those of mx::multiply and mx::add_leaves, except that a NaN may have other bits; and the tree of
// mx::coded_leaves over the results of gemm_grouped.
// Source: mx/tensor/bulk.h, mx/dot/coded_leaves.h (the results).
#pragma once
#include "mx/dot/gemm.h"
#include "mx/kernels/status.h"

namespace mx::kernels {

/// Request of multiply: C = A * B, acc = RNE32(acc + a * b), k ascending, from +0.
///   a  (rows, k), lines a_stride apart         b  (k, columns), lines b_stride apart
///   c  (rows, columns), lines c_stride apart; overlaps neither; all in device memory, row-major
struct value_product_request {
  std::int64_t rows, columns, k;
  const float* a;
  std::int64_t a_stride;
  const float* b;
  std::int64_t b_stride;
  float* c;
  std::int64_t c_stride;
};

/// Computes C.
///   errors  null, misaligned or overlapping pointers, negative sizes, strides below the length of
///           a line, a k of more than 2^30, a matrix of more than 2^31 elements. Launches nothing
///           if rows or columns is 0.
status multiply(const value_product_request& request, stream on);

/// One sequence's part of a weight gradient: left (k, m) transposed times right (k, n).
struct value_leaf {
  const float* left;
  const float* right;
  int k;
};

/// Request of add_leaves: adds products of consecutive leaves to the levels of a binary tree.
///   leaves  count of them, in device memory as what they point to; lines of left are left_stride
///           apart, those of right right_stride
///   first   leaves that the tree holds already
///   levels  as those of mx::add_leaves, each (m, n), dense: as many as first + count has bits
struct value_leaves_request {
  const value_leaf* leaves;
  int count, first;
  std::int64_t m, n, left_stride, right_stride;
  float* const* levels;
};

/// Adds the leaves.
///   errors  null or misaligned pointers, negative sizes, strides below the length of a line, a
///           matrix of more than 2^31 elements, more than 2^31 - 1 leaves. What the leaves and the
///           levels point to is not checked. Launches nothing if count, m or n is 0.
status add_leaves(const value_leaves_request& request, stream on);

/// Request of add_products: adds products of codes, computed before, to the levels of a binary
/// tree.
///   plan      of the products, whose alpha is 1 and whose output is FP32
///   products  D of count leaves, each (m, n), dense, one after another
///   alphas    of each leaf; null: all 1; both in device memory
///   first     leaves that the tree holds already
///   levels    as those of mx::coded_leaves::add, each (m, n), dense: as many as first + count has
///             bits
struct product_leaves_request {
  gemm_plan plan;
  const float* products;
  const float* alphas;
  int count, first;
  std::int64_t m, n;
  float* const* levels;
};

/// Adds the leaves. Equals mx::coded_leaves::add of the products' factors.
///   errors  null or misaligned pointers, negative sizes, a plan with an alpha or another output,
///           more than 2^31 elements of all products, more than 2^31 - 1 leaves. What the levels
///           point to is not checked. Launches nothing if count, m or n is 0.
status add_products(const product_leaves_request& request, stream on);

}  // namespace mx::kernels
