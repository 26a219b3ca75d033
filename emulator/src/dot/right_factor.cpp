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

/// The elements of a region, combined as the plan specifies. Equals mx::gemm_element.
///   Product  core_product or vector_product
template <class Product>
class planned_region {
 public:
  using sums = region_sums;

  planned_region(const gemm_plan& plan, const Product& product, std::int64_t k,
                 const gemm_region& region)
      : plan_(plan), product_(product), k_(k), size_(part_size(plan, k)), region_(region) {}

  /// The sums of all parts; `start` is the initial value of the first.
  [[nodiscard]] sums all(sums start) const {
    if (k_ == 0) return start;
    const std::int64_t parts = (k_ + size_ - 1) / size_;
    if (plan_.order == split_order::pairwise && parts > 1) return pairs(0, parts, start);
    sums all = part(0, std::move(start));
    for (std::int64_t i = 1; i < parts; ++i) add(all, part(i, sums(all.size())));
    return all;
  }

 private:
  [[nodiscard]] sums part(std::int64_t index, sums start) const {
    const std::int64_t begin = index * size_, end = std::min(begin + size_, k_);
    if (plan_.promote_every == 0) {
      product_.add(region_, begin, end - begin, start.data());
      return start;
    }
    for (std::int64_t first = begin; first < end; first += plan_.promote_every) {
      sums piece(start.size());
      const auto count = std::min<std::int64_t>(plan_.promote_every, end - first);
      product_.add(region_, first, count, piece.data());
      add(start, piece);
    }
    return start;
  }

  [[nodiscard]] sums pairs(std::int64_t first, std::int64_t last, sums& start) const {
    if (last - first == 1) return part(first, first == 0 ? std::move(start) : sums(elements()));
    std::int64_t left = 1;
    while (2 * left < last - first) left *= 2;
    sums all = pairs(first, first + left, start);
    add(all, pairs(first + left, last, start));
    return all;
  }

  /// RNE32(a + b); equals mx::add_fp32.
  void add(sums& a, const sums& b) const {
    const std::uint32_t nan = nan_of(plan_.model, formats::binary32);
    for (std::size_t i = 0; i < a.size(); ++i) {
      const float sum = float_of(a[i]) + float_of(b[i]);
      a[i] = sum == sum ? bits_of(sum) : nan;
    }
  }

  [[nodiscard]] std::size_t elements() const {
    return static_cast<std::size_t>(region_.rows() * region_.columns());
  }

  const gemm_plan& plan_;
  const Product& product_;
  std::int64_t k_, size_;
  gemm_region region_;
};

/// A region of D, part by part.
template <class Product>
void store_in_parts(const gemm_plan& plan, const gemm_shape& shape, const Product& product,
                    const gemm_region& region, const gemm_output& output) {
  const std::int64_t rows = region.rows(), columns = region.columns();
  region_sums starts(static_cast<std::size_t>(rows * columns));
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::uint32_t* from = output.starts(region.row + row, region.column);
    if (from != nullptr) std::copy_n(from, columns, starts.begin() + row * columns);
  }
  const region_sums sums = planned_region(plan, product, shape.k, region).all(std::move(starts));
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
  if (is_worth_looking(shape)) {
    const exact_product by_exact_sums(by_core, b.exact());
    if (by_exact_sums.is_useful()) return by(by_exact_sums);
  }
  by(by_core);
}

}  // namespace mx
