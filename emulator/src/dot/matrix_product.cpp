// SPDX-License-Identifier: Apache-2.0
// emulator/src/dot/matrix_product.cpp: regions of D by matrices of bfloat16.
#include "dot/matrix_product.h"

#include <algorithm>
#include <vector>

namespace mx {
namespace {

constexpr std::int64_t chunk_elements = matrix_lines::most_slabs * matrix::depth;

constexpr std::int64_t pair_lines = matrix_factor::pair_lines;

std::int64_t pairs_of(std::int64_t lines) { return (lines + pair_lines - 1) / pair_lines; }

/// A factor's lines of a region, as matrices for a range of k at a time.
class factor_chunk {
 public:
  factor_chunk(const matrix_factor& factor, matrix_factor::place_function in_order,
               std::int64_t line, std::int64_t lines)
      : factor_(factor),
        in_order_(in_order),
        line_(line),
        pairs_(pairs_of(lines)),
        values_(static_cast<std::size_t>(2 * pairs_ * next)),
        exponents_(static_cast<std::size_t>(pairs_ * exponents)),
        none_(static_cast<std::size_t>(pairs_ * matrix_lines::most_slabs)) {}

  [[nodiscard]] std::int64_t pairs() const { return pairs_; }
  [[nodiscard]] matrix_pair pair(std::int64_t i) const {
    return {values_.at(static_cast<std::size_t>(2 * i * next)), next};
  }
  [[nodiscard]] matrix_exponents exponents_of(std::int64_t i) const {
    return {exponents_.at(static_cast<std::size_t>(i * exponents)),
            none_.at(static_cast<std::size_t>(i * matrix_lines::most_slabs))};
  }

  /// Fills the matrices from k = `first` on.
  void place(std::int64_t first, int slabs) {
    for (std::int64_t i = 0; i < 2 * pairs_; ++i) {
      factor_.place(in_order_, line_ + i * matrix::lines, first, slabs,
                    values_.at(static_cast<std::size_t>(i * next)));
    }
  }
  void place_exponents(std::int64_t first, int slabs) {
    for (std::int64_t i = 0; i < pairs_; ++i) {
      factor_.place_exponents(line_ + i * pair_lines, first, slabs,
                              exponents_.at(static_cast<std::size_t>(i * exponents)),
                              none_.at(static_cast<std::size_t>(i * matrix_lines::most_slabs)));
    }
  }

 private:
  static constexpr std::int64_t next = matrix_lines::most_slabs * matrix::values;
  static constexpr std::int64_t exponents = matrix_lines::most_slabs * matrix_exponents::lines;

  const matrix_factor& factor_;
  matrix_factor::place_function in_order_;
  std::int64_t line_, pairs_;
  line_aligned<std::uint16_t> values_;
  line_aligned<std::int32_t> exponents_;
  line_aligned<std::uint32_t> none_;
};

/// Sums of a region with whole pairs of lines: in place, or a copy.
class padded_sums {
 public:
  padded_sums(const gemm_region& region, std::uint32_t* sums)
      : rows_(region.rows()), columns_(region.columns()), sums_(sums) {
    const std::int64_t rows = pairs_of(rows_) * pair_lines;
    stride_ = pairs_of(columns_) * pair_lines;
    if (rows == rows_ && stride_ == columns_) return;
    copy_.resize(static_cast<std::size_t>(rows * stride_));
    for (std::int64_t row = 0; row < rows_; ++row) {
      std::copy_n(sums_ + row * columns_, columns_, copy_.data() + row * stride_);
    }
  }

  [[nodiscard]] matrix_sums all() {
    std::uint32_t* first = copy_.empty() ? sums_ : copy_.data();
    return {reinterpret_cast<float*>(first), stride_};
  }

  void put_back() const {
    if (copy_.empty()) return;
    for (std::int64_t row = 0; row < rows_; ++row) {
      std::copy_n(copy_.data() + row * stride_, columns_, sums_ + row * columns_);
    }
  }

 private:
  std::int64_t rows_, columns_, stride_;
  std::uint32_t* sums_;
  std::vector<std::uint32_t> copy_;
};

struct irregular_start {
  std::int64_t at;
  std::uint32_t c;
};

std::vector<irregular_start> irregular_starts(const std::uint32_t* sums, std::int64_t count) {
  std::vector<irregular_start> found;
  std::uint32_t any = 0;
  for (std::int64_t i = 0; i < count; ++i) any |= is_irregular_start(sums[i]) ? 1 : 0;
  for (std::int64_t i = 0; any != 0 && i < count; ++i) {
    if (is_irregular_start(sums[i])) found.push_back({i, sums[i]});
  }
  return found;
}

/// A region's sums over a range of k.
class matrix_region {
 public:
  matrix_region(const matrix_kernels& kernels, const core_product& by_core,
                const matrix_factor& left, const matrix_factor& right, const gemm_region& region)
      : kernels_(kernels),
        by_core_(by_core),
        left_(left),
        right_(right),
        region_(region),
        growth_(growth_over(by_core.shape().k)),
        a_(left, kernels.place_left, region.row, region.rows()),
        b_(right, kernels.place_right, region.column, region.columns()) {}

  /// Adds `slabs` slabs from k = `first` on.
  void add(std::int64_t first, int slabs, const matrix_sums& sums, starting start) {
    a_.place(first, slabs), b_.place(first, slabs);
    if (kernels_.fused != nullptr)
      a_.place_exponents(first, slabs), b_.place_exponents(first, slabs);
    kernels_.begin();
    for (std::int64_t j = 0; j < b_.pairs(); ++j) {
      for (std::int64_t i = 0; i < a_.pairs(); ++i) {
        float* at = sums.values + (i * sums.stride + j) * pair_lines;
        add_pair(i, j, first, slabs, {at, sums.stride}, start);
      }
    }
    kernels_.end();
  }

 private:
  void add_pair(std::int64_t i, std::int64_t j, std::int64_t first, int slabs,
                const matrix_sums& sums, starting start) const {
    const matrix_pair a = a_.pair(i), b = b_.pair(j);
    if (kernels_.sequential != nullptr) return kernels_.sequential(a, b, slabs, sums);
    const std::int64_t row = region_.row + i * pair_lines, column = region_.column + j * pair_lines;
    if (start == starting::at_zero && are_near(left_.bounds_of(row / pair_lines),
                                               right_.bounds_of(column / pair_lines), growth_)) {
      return kernels_.near(a, b, slabs, sums);
    }
    kernels_.fused(a, b, slabs, a_.exponents_of(i), b_.exponents_of(j), sums,
                   by_core_.steps_of(row, column, first / step_elements));
  }

  const matrix_kernels& kernels_;
  const core_product& by_core_;
  const matrix_factor &left_, &right_;
  gemm_region region_;
  int growth_;
  factor_chunk a_, b_;
};

}  // namespace

const matrix_kernels* matrix_kernels_of(const dot_model& model, const gemm_operand& b) {
  const gemm_kernels* same = kernels_of(model, b, dot_instruction::pairs);
  if (same == nullptr) return nullptr;
  const auto how = same->sequential != nullptr ? gemm_rounding::sequential : gemm_rounding::fused;
  return matrix_kernels_for(how, same->unit);
}

matrix_product::matrix_product(const core_product& by_core, const matrix_right& right)
    : kernels_(right.kernels),
      by_core_(by_core),
      left_(right.kernels, right.tables, by_core.a(), by_core.shape().m, by_core.shape().k),
      right_(right.factor) {}

void matrix_product::add(const gemm_region& region, std::int64_t first, std::int64_t count,
                         std::uint32_t* sums) const {
  const std::int64_t grain = kernels_.sequential != nullptr ? matrix::depth : step_elements;
  if (!by_core_.is_of_steps(first, count, grain)) return by_core_.add(region, first, count, sums);
  const std::int64_t elements = region.rows() * region.columns();
  const bool zero = std::all_of(sums, sums + elements, [](std::uint32_t c) { return c == 0; });
  const std::vector<irregular_start> irregular = irregular_starts(sums, elements);
  padded_sums padded(region, sums);
  matrix_region matrices(kernels_, by_core_, left_, right_, region);
  for (std::int64_t k = first; k < first + count; k += chunk_elements) {
    const std::int64_t there = std::min(chunk_elements, first + count - k);
    const int slabs = static_cast<int>((there + grain - 1) / grain * grain / matrix::depth);
    matrices.add(k, slabs, padded.all(), zero ? starting::at_zero : starting::anywhere);
  }
  padded.put_back();
  for (const irregular_start& s : irregular) {
    const std::int64_t row = region.row + s.at / region.columns();
    const std::int64_t column = region.column + s.at % region.columns();
    sums[s.at] = by_core_.element(row, column, first, count, s.c);
  }
}

}  // namespace mx
