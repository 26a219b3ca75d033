// SPDX-License-Identifier: Apache-2.0
// emulator/src/dot/right_factor.cpp: products by the best way that a model, its operands and the
// machine allow, distributed to threads by tiles of D.
#include "dot/right_factor.h"

#include <algorithm>
#include <type_traits>
#include <vector>

namespace mx {
namespace {

/// Calls work(region) for tiles of D.
template <class Work>
void for_each_region(const gemm_shape& shape, const gemm_task& task, gemm_threads threads,
                     const elements_done& done, const Work& work) {
  const auto row_tiles = (shape.m + task.rows - 1) / task.rows;
  const auto column_tiles = (shape.n + task.columns - 1) / task.columns;
  for_each(row_tiles * column_tiles, threads, [&](std::int64_t tile) {
    const std::int64_t row = tile / column_tiles * task.rows;
    const std::int64_t column = tile % column_tiles * task.columns;
    const gemm_region region{row, std::min(row + task.rows, shape.m), column,
                             std::min(column + task.columns, shape.n)};
    work(region);
    if (done) done(static_cast<std::uint64_t>(region.rows() * region.columns()));
  });
}

/// Sums of a region, row-major. The allocator retains freed memory.
using region_sums = std::vector<std::uint32_t, tbb::scalable_allocator<std::uint32_t>>;

/// Sums of a region, as mx::sum_of_parts combines them.
///   Product  core_product or vector_product
template <class Product>
struct region_of_sums {
  const gemm_plan& plan;
  const Product& product;
  gemm_region region;

  [[nodiscard]] region_sums dot(std::int64_t first, std::int64_t count, region_sums c) const {
    product.add(region, first, count, c.data());
    return c;
  }
  [[nodiscard]] region_sums zero() const {
    return region_sums(static_cast<std::size_t>(region.rows() * region.columns()));
  }
  /// Equals mx::add_fp32.
  [[nodiscard]] region_sums added(region_sums a, const region_sums& b) const {
    const std::uint32_t nan = nan_of(plan.model, formats::binary32);
    for (std::size_t i = 0; i < a.size(); ++i) {
      const float sum = float_of(a[i]) + float_of(b[i]);
      a[i] = sum == sum ? bits_of(sum) : nan;
    }
    return a;
  }
};

/// A region of D, part by part.
template <class Product>
void store_in_parts(const gemm_plan& plan, const gemm_shape& shape, const Product& product,
                    const gemm_region& region, const gemm_output& output) {
  const std::int64_t rows = region.rows(), columns = region.columns();
  const region_of_sums<Product> by{plan, product, region};
  region_sums sums = by.zero();
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::uint32_t* from = output.starts(region.row + row, region.column);
    if (from != nullptr) std::copy_n(from, columns, sums.begin() + row * columns);
  }
  if (shape.k > 0) sums = sum_of_parts(plan, shape.k, std::move(sums), by);
  for (std::int64_t row = 0; row < rows; ++row) {
    output.store(region.row + row, region.column, columns, sums.data() + row * columns);
  }
}

/// D of a whole product.
template <class Product>
void multiply_by(const gemm_plan& plan, const gemm_shape& shape, const Product& product,
                 const gemm_output& output, gemm_threads threads, const elements_done& done) {
  for_each_region(shape, Product::task, threads, done, [&](const gemm_region& region) {
    if constexpr (std::is_same_v<Product, vector_product>) {
      const bool near = shape.k <= vector_product::near_elements;
      if (near && is_one_sum(plan, shape.k)) return product.store(region, output);
    }
    store_in_parts(plan, shape, product, region, output);
  });
}

}  // namespace

right_factor::right_factor(const dot_model& model, const gemm_operand& b, std::int64_t n,
                           std::int64_t k, dot_instruction dot)
    : model_(model), b_(b), n_(n), k_(k) {
  if (n == 0 || k == 0) return;
  if (dot == dot_instruction::matrix) matrix_kernels_ = matrix_kernels_of(model, b);
  vector_kernels_ = kernels_of(model, b, best_dot());
  step_rule_ = step_rule_of(model);
  if (step_rule_) step_kernels_ = step_kernels_for(step_rule_->kind);
}

const matrix_right* right_factor::matrices() const {
  if (matrix_kernels_ == nullptr) return nullptr;
  return &matrices_.get(
      [&] { return std::make_unique<matrix_right>(*matrix_kernels_, model_, b_, n_, k_); });
}

const vector_right* right_factor::vectors() const {
  if (vector_kernels_ == nullptr) return nullptr;
  return &vectors_.get(
      [&] { return std::make_unique<vector_right>(*vector_kernels_, model_, b_, n_, k_); });
}

const step_right* right_factor::steps() const {
  if (step_kernels_ == nullptr) return nullptr;
  return &steps_.get([&] {
    return std::make_unique<step_right>(*step_kernels_, *step_rule_, model_, b_, n_, k_);
  });
}

const exact_right& right_factor::exact() const {
  return exact_.get([&] { return std::make_unique<exact_right>(model_, b_, n_, k_); });
}

void multiply(const gemm_plan& plan, std::int64_t m, const gemm_operand& a, const right_factor& b,
              const gemm_output& output, gemm_threads threads, const elements_done& done) {
  const gemm_shape shape{m, b.n(), b.k()};
  const core_product by_core(plan.model, shape, a, b.operand());
  const auto by = [&](const auto& product) {
    multiply_by(plan, shape, product, output, threads, done);
  };
  if (shape.k == 0) return by(by_core);
  if (has_kernel_codes(plan.model.a, a)) {
    const matrix_right* right = b.matrices();
    if (right != nullptr && right->factor.is_regular()) {
      const matrix_product by_matrices(by_core, *right);
      if (by_matrices.is_possible()) return by(by_matrices);
    }
    if (const vector_right* vectors = b.vectors()) {
      return by(vector_product(by_core, *vectors, threads));
    }
  }
  if (const step_right* right = b.steps()) return by(step_product(by_core, *right, threads));
  if (is_worth_looking(shape)) {
    const exact_product by_exact_sums(by_core, b.exact());
    if (by_exact_sums.is_useful()) return by(by_exact_sums);
  }
  by(by_core);
}

}  // namespace mx
