// SPDX-License-Identifier: Apache-2.0
// mx/tensor/bulk.h: whole matrices at once; vectorized, and equal to the core bit for bit.
// The widest instruction set of the machine is chosen at run time. No function here starts a
// thread: rows, columns and tiles are independent, so callers may distribute them.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace mx {

/// The right operand of a product, in panels of 64 columns: element (k, n) lies at
/// (n / 64 * K + k) * 64 + n % 64; the last panel is padded with zeros.
class packed_matrix {
 public:
  static constexpr int panel_columns = 64;

  packed_matrix() = default;
  packed_matrix(int k, int n);

  [[nodiscard]] int k() const noexcept { return k_; }
  [[nodiscard]] int n() const noexcept { return n_; }
  [[nodiscard]] const float* panel(int index) const noexcept {
    return panels_.data() + static_cast<std::ptrdiff_t>(index) * k_ * panel_columns;
  }
  /// Sets the columns [first, first + columns) from a row-major K x columns matrix.
  void set_columns(int first, int columns, const float* matrix, std::ptrdiff_t stride);
  /// Sets them from the transpose: a row-major columns x K matrix.
  void set_columns_transposed(int first, int columns, const float* matrix, std::ptrdiff_t stride);

 private:
  void set_elements(int first, int columns, const float* matrix, std::ptrdiff_t k_stride,
                    std::ptrdiff_t n_stride);

  int k_ = 0, n_ = 0;
  std::vector<float> panels_;
};

/// C = A * B under `fp32.fma`: acc = RNE32(acc + a * b), k ascending, from +0.
///   A  rows x K, row-major      B  K x N, packed      C  rows x N, row-major
void multiply(int rows, const float* a, std::ptrdiff_t a_stride, const packed_matrix& b, float* c,
              std::ptrdiff_t c_stride);

/// One sequence's contribution to a weight gradient: left (k x m) transposed times right (k x n).
struct outer_product {
  int k;
  const float* left;
  const float* right;
};

/// Consecutive leaves of a fixed binary tree of weight gradients.
///   first_leaf  the tree's index of the first leaf
///   row_begin   computes rows [row_begin, row_end) of m; ranges of rows are independent
///   n           a multiple of 16
///   levels      level l is an m x n matrix that holds the sum of 2^l leaves if bit l of the number
///               of leaves so far is set
struct value_leaves {
  std::span<const outer_product> leaves;
  int first_leaf;
  int m, row_begin, row_end, n;
  std::ptrdiff_t left_stride, right_stride;
  float* const* levels;
};

/// Adds the leaves' products into the tree's levels. Adding a leaf carries like a binary counter:
/// sum = level + sum.
///   each product is `fp32.fma`, k ascending, from +0; rows beyond k count as +0
void add_leaves(const value_leaves& of);

/// Name of the instruction set used by the functions above on this machine.
[[nodiscard]] std::string instruction_set();

/// Restricts them to `name`, one of instruction_sets(); an empty name lifts the restriction.
/// Must not be called while another thread is inside one of them.
void use_instruction_set(const std::string& name);

/// Instruction sets supported by this binary on this machine, best first; under a restriction that
/// one alone.
[[nodiscard]] std::vector<std::string> instruction_sets();

}  // namespace mx
