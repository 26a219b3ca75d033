// SPDX-License-Identifier: Apache-2.0
// emulator/src/dot/bulk_gemm.cpp: whole products, distributed to threads by tiles of D. Equals
// mx::dot for every element, checked by tests/unit/dot/bulk_gemm_test.cpp.
// Floor: M N K products over those of the machine's dot instruction.
#include "mx/dot/bulk_gemm.h"

#include <tbb/parallel_for.h>

#include <stdexcept>

#include "dot/exact_product.h"
#include "dot/gemm_lines.h"
#include "dot/gemm_product.h"
#include "dot/matrix_product.h"
#include "mx/tensor/bulk.h"

namespace mx {
namespace {

/// The best instruction that the user has not excluded.
dot_instruction& restricted() {
  static dot_instruction chosen = dot_instruction::matrix;
  return chosen;
}

void refuse_unless(bool fits, const char* what) {
  if (!fits) throw std::invalid_argument(what);
}

/// Calls work(region) for tiles of D.
template <class Work>
void for_each_region(const gemm_shape& shape, const gemm_task& task, const elements_done& done,
                     const Work& work) {
  const auto row_tiles = (shape.m + task.rows - 1) / task.rows;
  const auto column_tiles = (shape.n + task.columns - 1) / task.columns;
  tbb::parallel_for(std::int64_t{0}, row_tiles * column_tiles, [&](std::int64_t tile) {
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

/// D of a whole product.
template <class Product>
void multiply(const gemm_plan& plan, const gemm_shape& shape, const Product& product,
              const std::uint32_t* c, std::uint32_t* d, const elements_done& done) {
  for_each_region(shape, Product::task, done, [&](const gemm_region& region) {
    const std::int64_t rows = region.rows(), columns = region.columns();
    const auto at = [&](std::int64_t row) { return (region.row + row) * shape.n + region.column; };
    const auto from_c = [&] {
      region_sums sums(static_cast<std::size_t>(rows * columns));
      for (std::int64_t row = 0; c != nullptr && row < rows; ++row) {
        std::copy_n(c + at(row), columns, sums.begin() + row * columns);
      }
      return sums;
    };
    const bool last = plan.c == c_entry::epilogue;
    const region_sums addends = last ? from_c() : region_sums();
    const planned_region planned(plan, product, shape.k, region);
    const region_sums sums = planned.all(last ? region_sums(addends.size()) : from_c());
    for (std::int64_t row = 0; row < rows; ++row) {
      const std::uint32_t* sum = sums.data() + row * columns;
      std::uint32_t* to = d + at(row);
      if (is_sum(plan)) {
        std::copy_n(sum, columns, to);
        continue;
      }
      for (std::int64_t column = 0; column < columns; ++column) {
        const std::uint32_t addend =
            last ? addends[static_cast<std::size_t>(row * columns + column)] : 0;
        to[column] = finished(plan, sum[column], addend);
      }
    }
  });
}

/// Whether a container can store codes of a format.
bool holds(code_storage storage, const format& f, int unread_bits) {
  constexpr int bits[] = {4, 8, 16, 32};
  return f.width() + unread_bits <= bits[static_cast<int>(storage)];
}

void check(const gemm_plan& plan, const gemm_shape& shape, const gemm_operand& a,
           const gemm_operand& b) {
  refuse_unless(refusal_of(plan) == gemm_refusal::none,
                "mx: a plan of a product that makes no sense");
  refuse_unless(shape.m >= 0 && shape.n >= 0 && shape.k >= 0, "mx: a product of a negative size");
  refuse_unless(shape.k <= std::int64_t{1} << 30, "mx: a product of more than 2^30 in k");
  if (shape.m == 0 || shape.n == 0 || shape.k == 0) return;
  const bool codes = a.codes != nullptr && b.codes != nullptr;
  const bool scales = plan.model.block == 0 || (a.scales != nullptr && b.scales != nullptr);
  refuse_unless(codes, "mx: a missing operand");
  const dot_model& m = plan.model;
  const bool wide = holds(a.storage, m.a, m.unread_bits) && holds(b.storage, m.b, m.unread_bits);
  refuse_unless(wide, "mx: codes wider than what they are stored in");
  refuse_unless(m.block == 0 || m.scale.width() <= 8, "mx: scales wider than a byte");
  refuse_unless(scales, "mx: missing scales");
}

}  // namespace

dot_instruction best_dot() {
  return has_dot_of_four() ? std::max(restricted(), dot_instruction::four) : dot_instruction::pairs;
}

void gemm(const gemm_plan& plan, const gemm_shape& shape, const gemm_operand& a,
          const gemm_operand& b, const std::uint32_t* c, std::uint32_t* d,
          const elements_done& done) {
  check(plan, shape, a, b);
  if (shape.m == 0 || shape.n == 0) return;
  refuse_unless(d != nullptr, "mx: no place for a product");
  const core_product by_core(plan.model, shape, a, b);
  if (restricted() == dot_instruction::matrix && shape.k > 0) {
    if (const matrix_kernels* kernels = matrix_kernels_of(plan.model, a, b)) {
      const matrix_product by_matrices(*kernels, by_core);
      if (by_matrices.is_possible()) return multiply(plan, shape, by_matrices, c, d, done);
    }
  }
  const gemm_kernels* kernels = kernels_of(plan.model, a, b, best_dot());
  if (kernels != nullptr && shape.k > 0) {
    return multiply(plan, shape, vector_product(*kernels, by_core), c, d, done);
  }
  if (shape.k > 0 && is_worth_looking(shape)) {
    const exact_product by_exact_sums(by_core);
    if (by_exact_sums.is_useful()) return multiply(plan, shape, by_exact_sums, c, d, done);
  }
  multiply(plan, shape, by_core, c, d, done);
}

std::vector<std::string> dot_instructions() {
  std::vector<std::string> names;
  if (gemm_kernels_for(gemm_rounding::fused, 32, dot_instruction::pairs) == nullptr) return names;
  if (matrix_kernels_for(gemm_rounding::sequential, 32) != nullptr) names.emplace_back("AMX");
  if (has_dot_of_four()) names.emplace_back("VNNI");
  names.emplace_back("pairs");
  return names;
}

void use_dot_instruction(const std::string& name) {
  const std::vector<std::string> offered = dot_instructions();
  if (!name.empty() && std::find(offered.begin(), offered.end(), name) == offered.end()) {
    throw std::invalid_argument("this machine does not offer " + name);
  }
  restricted() = name == "pairs"  ? dot_instruction::pairs
                 : name == "VNNI" ? dot_instruction::four
                                  : dot_instruction::matrix;
}

}  // namespace mx
